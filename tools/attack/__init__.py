"""The attack side: what makes bytes wrong, and what watches the parser read them.

| module | what |
|---|---|
| `pure` | the package without its compiled modules, beside the one that is imported |
| `fields` | where the numbers and strings of a save are, as the parser's own cursor reads them |
| `layers` | saves taken apart into what is under their compression, and put together again |
| `mutations` | one thing made wrong: a number, a string, a block, a bit |
| `spans` | where the objects of a Satisfactory save are: a parser that shares no code with the package |
| `surgery` | an object, a size, an entry made wrong, and what may be given afterwards |
| `implode` | imploding without matches |
| `mutator` | a seed -> a save with a few things wrong |
| `kept` | inputs with findings, as the edits that make them |
| `feeds` | the same bytes as a path, bytes, a file, a pipe, an iterable |
| `contract` | one input read in many ways: what must hold, and what does not |
| `truth` | what resync gives is what was there, or is reported as lost |
| `arx_table` | the table of an Arx container made wrong, and what may be given then |
| `stream_truth` | the same for the events of save games and of shapez 2 |
| `containers` | the same for the entries of Arx containers |
| `directory` | the directory of a zip archive made wrong, and that it hides no member |
| `progress` | what resync costs |
| `minimise` | a smaller input with the same finding |
| `campaign` | many inputs in processes that are watched |
"""
