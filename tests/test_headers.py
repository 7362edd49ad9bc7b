"""The classes of headers have a public path, which imports no format before it is asked for."""

import attrs
import pytest
from cli_runs import python
from saves import VALID, start_of

from streamsave import headers

#: A save of each format, and the class of its header.
SAMPLES = {
    "arx/v2.1.sav": "ArxContainer",
    "astroneer/full.savegame": "AstroneerHeader",
    "gvas/ue5-1012.sav": "GvasHeader",
    "satisfactory/v6.sbpcfg": "SatisfactoryBlueprintConfig",
    "satisfactory/sv58.sbp": "SatisfactoryBlueprintHeader",
    "satisfactory/sv58.sav": "SatisfactorySaveHeader",
    "shapez2/islands-5.spz2bp": "Shapez2BlueprintHeader",
    "shapez2/small.spz2": "Shapez2SaveHeader",
}


def test_each_class_has_a_sample():
    assert {"Header", *SAMPLES.values()} == set(headers.__all__)


@pytest.mark.parametrize(("sample", "name"), SAMPLES.items())
def test_headers_of_saves_are_of_the_public_classes(sample, name):
    header = start_of(VALID / sample).header
    assert type(header) is getattr(headers, name)
    assert isinstance(header, headers.Header)
    assert attrs.fields(type(header))
    assert type(header).__doc__


def test_no_other_names():
    with pytest.raises(AttributeError, match="no attribute 'SaveHeader'"):
        _ = headers.SaveHeader


def test_importing_the_module_imports_no_format():
    code = "import sys, streamsave.headers as h; before = set(sys.modules); h.ArxContainer; print(*set(sys.modules) - before)"
    assert "streamsave.formats.arx.header" in python(code).stdout.split()
