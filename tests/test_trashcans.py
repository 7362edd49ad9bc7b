"""Objects that are freed inside of many others, and the C code for that."""

import pytest
from cli_runs import python
from trashcans import take_out_trashcans

#: As mypyc writes them.
ACYCLIC = """\
static void
A_dealloc(toy___AObject *self)
{
    if (A_free_instance == NULL) {
        A_free_instance = self;
        Py_CLEAR(self->_x);
        return;
    }
    CPy_TRASHCAN_BEGIN(self, A_dealloc)
    CPyDef_A_clear((PyObject *)self);
    Py_TYPE(self)->tp_free((PyObject *)self);
    CPy_TRASHCAN_END(self)
    done: ;
}
"""
KNOWN = """
static void
B_dealloc(toy___BObject *self)
{
    PyObject_GC_UnTrack(self);
    CPy_TRASHCAN_BEGIN(self, B_dealloc)
    CPyDef_B_clear((PyObject *)self);
    CPy_TRASHCAN_END(self)
    done: ;
}
"""
NESTED = """
import streamsave
from streamsave import values
from streamsave.events import Field, PropertyTag

made = [
    lambda: PropertyTag(1, "a", "b", 2, 3, 4, "c", "d", "e", False, None, None),
    lambda: Field(1, "a", "b", 2, 3),
    lambda: values.Guid(bytes(16)),
    lambda: values.ObjectReference("a", "b"),
    lambda: values.Vector(1.0, 2.0, 3.0),
    lambda: values.Transform((1.0,) * 4, (1.0,) * 3, (1.0,) * 3),
]
for make in made:
    for depth in range(40, 60):
        kept = [make() for _ in range(20)]
        nested = [make(), make()]
        for _ in range(depth):
            nested = [nested]
        del nested
        assert repr(kept[0]) == repr(make())
print("sound")
"""


def test_only_classes_that_the_collector_does_not_know(tmp_path):
    path = tmp_path / "__native_toy.c"
    path.write_text(ACYCLIC + KNOWN, encoding="utf-8")
    assert take_out_trashcans(tmp_path) == 1
    lines = [line for line in ACYCLIC.splitlines(keepends=True) if "TRASHCAN" not in line]
    assert path.read_text(encoding="utf-8") == "".join(lines) + KNOWN
    assert take_out_trashcans(tmp_path) == 0


@pytest.mark.parametrize("allocator", ["malloc", "debug"])
def test_objects_inside_of_many_others_are_freed(allocator):
    """With `debug`, Python finds out if what lies beside an object was written over."""
    freed = python(NESTED, PYTHONMALLOC=allocator)
    assert (freed.returncode, freed.stdout) == (0, "sound\n"), freed.stderr[:2000]
