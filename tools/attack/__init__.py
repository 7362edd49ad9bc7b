"""The attack side: what makes bytes wrong, and what watches the parser read them.

| module | what |
|---|---|
| `pure` | the package without its compiled modules, beside the one that is imported |
| `fields` | where the numbers and strings of a save stand, as the parser's own cursor reads them |
| `layers` | saves taken apart into what is under their compression, and put together again |
| `mutations` | one thing made wrong: a number, a string, a block, a bit |
| `mutator` | a seed -> a save with a few things wrong |
| `feeds` | the same bytes as a path, bytes, a file, a pipe, an iterable |
| `contract` | one input read in many ways: what must hold, and what does not |
| `minimise` | a smaller input with the same finding |
| `campaign` | many inputs in processes that are watched |
"""
