"""The C files of mypyc, made smaller; and what the compiled modules still say."""

import traceback

import pytest
from smaller_c import PRELUDE, _short_tracebacks, shrink

from streamsave import claims
from streamsave.decode.cursor import Cursor
from streamsave.decode.known_bytes import COMPILED
from streamsave.events import Field, ObjectHeader

#: As mypyc writes them.
METHOD = """\
PyObject *CPyPy_box___Box___open(PyObject *self, PyObject *const *args, size_t nargs) {
            PyObject *obj_self = self;
            PyObject *arg_self;
            if (likely(Py_TYPE(obj_self) == CPyType_box___Box))
                arg_self = obj_self;
            else {
                CPy_TypeError("toy.box.Box", obj_self);
                goto fail;
            }
fail: ;
            CPy_AddTraceback("toy/box.py", "open", 7, CPyStatic_box___globals);
}
"""
FUNCTION = """\
PyObject *CPyPy_box___open_box(PyObject *self, PyObject *const *args, size_t nargs) {
            PyObject *obj_self;
            PyObject *arg_self;
            if (likely(Py_TYPE(obj_self) == CPyType_box___Box))
                arg_self = obj_self;
            else {
                CPy_TypeError("toy.box.Box", obj_self);
                goto fail;
            }
fail: ;
            PyErr_SetString(PyExc_NameError, "no box");
            CPy_AttributeError("toy/box.py", "open_box", "Box", "lid", -1, CPyStatic_box___globals);
            CPy_TypeErrorTraceback("toy/box.py", "open", 300, CPyStatic_box___globals, "int", cpy_r_r0);
}
"""
TOP_LEVEL = "char CPyDef_box_____top_level__(void) {\n}\n"
EXEC = "static int CPyExec_toy___box__impl(PyObject *module)\n{\n}\n"


def test_only_what_is_hardly_ever_run_is_shorter(tmp_path):
    includes = '#include "__native_toy.h"\n'
    path = tmp_path / "__native_toy___box.c"
    path.write_text(includes + METHOD + FUNCTION + TOP_LEVEL + EXEC, encoding="utf-8")
    shrink(tmp_path, "toy")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(includes + 'static const char names_box[] = "open\\0open_box";\n')
    check = METHOD[METHOD.index("            PyObject *arg_self") : METHOD.rindex("fail")]
    method = METHOD.replace(check, "            PyObject *arg_self = obj_self;\n")
    function = FUNCTION.replace(
        'CPy_AttributeError("toy/box.py", "open_box", "Box", "lid", -1, CPyStatic_box___globals)',
        'CPy_AttributeError_box("Box", "lid", 0x5ffff)',
    ).replace(
        'CPy_TypeErrorTraceback("toy/box.py", "open", 300, CPyStatic_box___globals, "int", cpy_r_r0)',
        'CPy_TypeErrorTraceback_box(0x12c, "int", cpy_r_r0)',
    )
    traceback_of_method = ('CPy_AddTraceback("toy/box.py", "open", 7, CPyStatic_box___globals)', "CPy_AddTraceback_box(0x7)")
    shorter = (method.replace(*traceback_of_method), function, TOP_LEVEL, EXEC)
    assert text.endswith("".join(["SMALL " + each for each in shorter]))
    assert "void set_PyExc_NameError(" in (tmp_path / PRELUDE).read_text(encoding="utf-8")


def test_what_another_mypyc_may_write_is_left():
    """A module of which the first lines are not known keeps the calls that would need functions there."""
    call = 'CPy_AddTraceback("toy/box.py", "open", 7, CPyStatic_box___globals);\n'
    assert _short_tracebacks("/* toy */\n" + call) == "/* toy */\n" + call


def test_a_place_has_room_for_few_names():
    names = ["a" * 0xFFFE, "open", "close", "open"]
    calls = [f'CPy_AddTraceback("toy/box.py", "{name}", 7, CPyStatic_box___globals);' for name in names]
    shorter = _short_tracebacks("\n".join(['#include "__native_toy.h"', *calls])).splitlines()[-4:]
    first, second = "CPy_AddTraceback_box(0x7);", "CPy_AddTraceback_box(0xffff0007);"
    assert shorter == [first, second, calls[2], second]


def test_async_methods_check_self(tmp_path):
    """Nothing else does."""
    path = tmp_path / "__native_toy___box.c"
    path.write_text(METHOD + "    CPyFunction_New(module);\n", encoding="utf-8")
    shrink(tmp_path, "toy")
    assert "likely(Py_TYPE(obj_self) == CPyType_box___Box)" in path.read_text(encoding="utf-8")


def test_what_is_declared_hidden_ends_in_the_prelude(tmp_path):
    shrink(tmp_path, "toy")
    text = (tmp_path / PRELUDE).read_text(encoding="utf-8")
    assert text.count("#pragma GCC visibility push(hidden)") == text.count("#pragma GCC visibility pop") == 1


@pytest.mark.skipif(not COMPILED, reason="the C files of compiled modules are changed")
class TestCompiled:
    def test_tracebacks_name_file_function_and_line(self):
        with pytest.raises(TypeError) as error:
            claims.claimed_spans(1)
        frame = traceback.extract_tb(error.value.__traceback__)[-1]
        assert frame.filename.endswith("streamsave/claims.py")
        assert frame.name == "claimed_spans"
        assert frame.line.startswith("def claimed_spans(")

    def test_methods_refuse_objects_of_other_classes(self):
        for method in (Field.__init__, Cursor.u32, ObjectHeader.__eq__):
            with pytest.raises(TypeError, match="'int'"):
                method(1)
