"""Docstrings in the C files of mypyc."""

import ast

from docstrings import c_literal, docstrings_of, insert_docstrings

SOURCE = '''
"""About the module."""

class Stream:
    """About the class: "quoted"?"""

    def skip(self):
        """About skip.

        Raises: nothing \\\\ ü.
        """

    @property
    def path(self):
        """About path."""

def open_save(source):
    """About open_save."""

def silent():
    pass
'''

C = r"""
    {"path",
     (getter)stream___Stream_get_path,
    NULL, NULL, NULL},
    {"skip",
     (PyCFunction)CPyPy_stream___Stream___skip,
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("skip($self)\n--\n\n")},
    {"__init__",
     (PyCFunction)CPyPy_stream___Stream_____init__,
     METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("__init__($self, source)\n--\n\n")},
    .tp_name = "Stream",
    .tp_basicsize = 4,
    .tp_doc = PyDoc_STR("Stream()\n--\n\n"),
    {"open_save", (PyCFunction)CPyPy_p___stream___open_save, METH_FASTCALL | METH_KEYWORDS, PyDoc_STR(NULL) /* docstring */},
    {"silent", (PyCFunction)CPyPy_stream___silent, METH_FASTCALL | METH_KEYWORDS, PyDoc_STR("silent()\n--\n\n") /* docstring */},
    PyModuleDef_HEAD_INIT,
    "p.stream",
    NULL, /* docstring */
"""


def test_each_docstring_follows_its_signature(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "stream.py").write_text(SOURCE, encoding="utf-8")
    file = tmp_path / "__native_p___stream.c"
    file.write_text(C, encoding="utf-8")
    assert insert_docstrings(tmp_path, tmp_path, ["p/stream.py"]) == 5
    text = file.read_text(encoding="utf-8")
    assert 'NULL, \n"About path.", NULL}' in text
    assert r'PyDoc_STR("skip($self)\n--\n\n"' + '\n"About skip.\\012"\n"\\012"\n"Raises: nothing \\134 \\303\\274.")}' in text
    assert r'PyDoc_STR("Stream()\n--\n\n"' + '\n"About the class: \\042quoted\\042\\077"),' in text
    assert 'PyDoc_STR(\n"About open_save.") /* docstring */}' in text
    assert r'PyDoc_STR("silent()\n--\n\n") /* docstring */}' in text
    assert "CPyPy_stream___Stream_____init__,\n     METH_VARARGS | METH_KEYWORDS | METH_COEXIST, PyDoc_STR(" in text
    assert '"p.stream",\n    \n"About the module.", /* docstring */' in text


def test_a_module_without_a_c_file_is_left_out(tmp_path):
    (tmp_path / "p.py").write_text(SOURCE, encoding="utf-8")
    assert insert_docstrings(tmp_path, tmp_path, ["p.py"]) == 0


def test_names_in_c_may_start_with_any_part_of_the_module():
    names = dict(docstrings_of(ast.parse(SOURCE), "p.stream"))
    assert {"p.stream", "Stream", "stream___open_save", "p___stream___open_save", "p___stream___Stream_get_path"} <= set(names)
    assert not [name for name in names if name.endswith("silent")]


def test_no_trigraphs():
    assert c_literal("??=") == '\n"\\077\\077="'
