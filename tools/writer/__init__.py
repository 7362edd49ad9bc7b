"""Write game saves from Python values: an oracle that shares no code with the parser.

The modules; each imports only from those above it:

    primitives     ints, floats, strings, references, GUIDs -> bytes
    chunks         bytes -> compressed chunks
    dialect        which version's spelling of a value is wanted
    text           FText
    tags           property types, property tags (old and new), property lists
    structs        structs with a binary layout of their own
    trailers       what some classes append after their property list
    satisfactory   header, levels, objects, world -> .sav
    blueprint      .sbp, .sbpcfg
    vocabulary     names the made-up worlds share
    all_types, objects, samples
                   tiny worlds that together hold every construct
    gvas           save games, and what games put around them
    gvas_samples   a tiny save game of each era; what can be wrong with one
    arx_structs    structs of Arx saves
    arx_entries    entries of Arx saves
    arx            containers of Arx saves, with what packs their entries
    arx_samples    a tiny world of Arx in each container; what can be wrong with one
    shapez2_values strings, items, states and configurations of shapez 2, with or without checkpoints
    shapez2        members of a save, streamed into a zip archive
    shapez2_codes  blueprint codes of all envelopes
    shapez2_samples
                   every construct; big saves; what can be wrong with one
"""
