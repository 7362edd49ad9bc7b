"""The commands: one file each, which is imported when the command is called.

| module | what |
|---|---|
| `app` | the group of commands, exit codes, command lines at the end of each `--help` |
| `options` | the arguments and options that commands share |
| `save_names` | which saves an argument names |
| `save` | opens one save, and shows how far it is read |
| `run` | reads many saves; `jobs` does that side by side, in processes |
| `view` | what `info`, `ls` and `map` show of a format; `view_...` for single formats |
| `output`, `lines` | lines, JSON, tables, numbers for Prometheus; `text` writes values, `event_lines` events |
| `answers` | rows with columns, for `satisfactory` and `palworld` |
| `picture_command`, `canvas` | what `map` and `treemap` share |
| `map_places`, `draw_map` | for `map` |
| `treemap_parts`, `draw_treemap` | for `treemap` |
| the others | one command each |
"""

from streamsave.cli.app import main

__all__ = ["main"]
