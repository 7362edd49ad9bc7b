"""Make the C files of mypyc smaller: what they do stays the same, and what is hardly ever run takes less space.

Numbers in kB are what a step saved of the compressed library, when that had 3,340 kB. What a later mypyc writes in another form
is left as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PRELUDE", "shrink"]

#: Name of the file that `shrink` writes: C files that include those of modules include it first.
PRELUDE = "prelude.h"

#: What is declared after `CPy.h` is in this library, so that it is read by one instruction, not two (with `TRACEBACK`, 435 kB).
#: And an error is set by a call with its text alone.
PRELUDE_TEXT = """\
#include <CPy.h>
#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#define COLD __attribute__((cold, noinline)) static
#define SMALL __attribute__((cold))
#else
#define COLD static
#define SMALL
#endif
#include "__native_internal_{group}.h"
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
COLD void missing(const char *attribute, const char *class_name) {{
    PyErr_Format(PyExc_AttributeError, "attribute '%s' of '%s' undefined", attribute, class_name);
}}
COLD void lasting(const char *class_name, const char *attribute) {{
    PyErr_Format(PyExc_AttributeError, "'%s' object attribute '%s' cannot be deleted", class_name, attribute);
}}
"""
SETTER = "COLD void set_{error}(const char *text) {{ PyErr_SetString({error}, text); }}\n"
SET_STRING = "#define PyErr_SetString(error, text) set_##error(text)\n"
ERROR = re.compile(r"PyErr_SetString\((\w+)")

#: A call that adds a line to the traceback: there are 40,000. File and globals are the same in a module, and the function's name
#: and the line are one number.
TRACEBACK = re.compile(
    r'(?P<call>CPy_(?:AddTraceback|AttributeError|TypeErrorTraceback))\((?P<file>"[^"]*"), "(?P<name>[^"]*)", '
    r'(?P<others>(?:"[^"]*", )*)(?P<line>-?\d+), CPyStatic_(?P<module>\w+)___globals'
)
TRACEBACKS = """\
static const char names_{module}[] = "{names}";
#define WHERE_{module}(place) {file}, names_{module} + ((place) >> 16)
#define LINE_{module}(place) (short)(place), CPyStatic_{module}___globals
COLD void CPy_AddTraceback_{module}(unsigned place) {{
    CPy_AddTraceback(WHERE_{module}(place), LINE_{module}(place));
}}
COLD void CPy_AttributeError_{module}(const char *class_name, const char *attribute, unsigned place) {{
    CPy_AttributeError(WHERE_{module}(place), class_name, attribute, LINE_{module}(place));
}}
COLD void CPy_TypeErrorTraceback_{module}(unsigned place, const char *expected, PyObject *value) {{
    CPy_TypeErrorTraceback(WHERE_{module}(place), LINE_{module}(place), expected, value);
}}
"""
#: What a module's own text starts after.
INCLUDES = re.compile(r"\A(?:#include .*\n)+")

#: What runs once, when a module is imported, and what only plain Python calls: the compiler makes it small. With
#: `MISSING` and `LASTING`, 40 kB.
RARE = re.compile(
    r"^(?= *(?:char CPyDef_\w+__top_level__|PyObject \*CPy(?:Py|Init)_\w+|static int CPyExec_\w+__impl)\([^;\n]*\n?\{$)",
    re.MULTILINE,
)

#: The names of attributes and classes are in the library anyway: each of these sentences is there once.
MISSING = re.compile(r"""PyErr_SetString\(PyExc_AttributeError,\s*"attribute '(\w+)' of '(\w+)' undefined"\)""")
LASTING = re.compile(r"""PyErr_SetString\(PyExc_AttributeError,\s*"'(\w+)' object attribute '(\w+)' cannot be deleted"\)""")

#: That `self` is of the class: CPython has looked, before it calls a method. There are 1,800 of them.
SELF_CHECK = re.compile(
    r"(PyObject \*obj_self = self;\n(?:(?!.*obj_self).*\n)*?) *PyObject \*arg_self;\n"
    r' *if \(likely\(.*\)\)\n *arg_self = obj_self;\n *else \{\n *CPy_TypeError\("[^"]*", obj_self\); *\n *goto fail;\n *\}\n'
)
SELF = r"\1            PyObject *arg_self = obj_self;\n"
#: What mypyc makes of an `async` method: that is a function, and takes any `self`.
WRAPPER = "CPyFunction_New("


def shrink(folder: Path, group: str) -> None:
    """Change the C files of modules in a folder, and write the prelude; `group` is mypyc's name of all of them."""
    errors: set[str] = set()
    for path in sorted(folder.glob(f"__native_{group}___*.c")):
        text = path.read_text(encoding="utf-8")
        if WRAPPER not in text:
            text = SELF_CHECK.sub(SELF, text)
        text = RARE.sub("SMALL ", text)
        text = MISSING.sub(r'missing("\1", "\2")', text)
        text = LASTING.sub(r'lasting("\1", "\2")', text)
        errors.update(ERROR.findall(text))
        path.write_text(_short_tracebacks(text), encoding="utf-8")
    setters = "".join([SETTER.format(error=error) for error in sorted(errors)])
    (folder / PRELUDE).write_text(PRELUDE_TEXT.format(group=group) + setters + SET_STRING, encoding="utf-8")


def _short_tracebacks(text: str) -> str:
    """Let the calls of a module say only what differs among them; define the functions that know the rest."""
    first = TRACEBACK.search(text)
    if not first or not INCLUDES.match(text):
        return text
    #: Where the name of each function is in all of them.
    places: dict[str, int] = {}
    end = 0

    def shorten(call: re.Match[str]) -> str:
        nonlocal end
        if call["name"] not in places:
            places[call["name"]] = end
            end += len(call["name"].encode()) + 1
        place = places[call["name"]] << 16 | int(call["line"]) & 0xFFFF
        if place >> 32:  # more names than a place has room for
            return call[0]
        return f"{call['call']}_{call['module']}({call['others']}{place:#x}"

    text = TRACEBACK.sub(shorten, text)
    functions = TRACEBACKS.format(module=first["module"], file=first["file"], names="\\0".join(places))
    return INCLUDES.sub(lambda includes: includes[0] + functions, text)
