"""The commands: one file each, imported when it is called.

| module | what |
|---|---|
| `app` | the group of commands, exit codes |
| `inputs` | files, pipes and the loop over them; `progress` shows how far it is |
| `limits` | `--limit` of every command |
| `output` | lines, JSON and tables, to a terminal or a pipe |
| `text` | values as text; `inside` searches the values in an object |
| the others | one command each |
"""

from streamsave.cli.app import main

__all__ = ["main"]
