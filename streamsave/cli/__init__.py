"""The commands: one file each, which is imported when the command is called.

| module | what |
|---|---|
| `app` | the group of commands, exit codes, command lines at the end of each `--help` |
| `options` | the arguments and options that commands share |
| `save_names` | which saves an argument names |
| `save` | opens one save, shows how far it is read, and reads many; `jobs` does that side by side, in processes |
| `view` | what `info`, `ls` and `get` show of a format |
| `output` | lines, JSON, tables, numbers for Prometheus; `text` writes values, `event_lines` events |
| `answers` | rows with columns, for `satisfactory` and `palworld` |
| `picture` | what `map` and `treemap` share |
| `nothing_found` | what to say if `--where` matches nothing |
| the others | one command each |
"""

from streamsave.cli.app import main

__all__ = ["main"]
