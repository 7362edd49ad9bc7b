"""Write the saves of `corpora/` again: `python tools/make_corpora.py`.

What is wrong with a file of `corpora/invalid`, and what it raises, is in its `MANIFEST.toml`: the words are written by hand, what
it raises by `pytest tests/test_invalid.py --update-manifest`.
"""

from __future__ import annotations

from pathlib import Path

import click
from writer import arx_samples, astroneer_samples, faults, gvas_samples, howto, samples, shapez2_samples
from writer.satisfactory import save_bytes

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
#: Of zlib, for Satisfactory.
LEVEL = 9


def satisfactory() -> dict[str, bytes]:
    """Return the samples of Satisfactory."""
    worlds = {name: samples.sample(name) for name in samples.SAMPLES} | {"sv46-edited": samples.edited()}
    files = {f"{name}.sav": save_bytes(world, level=LEVEL) for name, world in worlds.items()}
    files |= {f"{name}.sbp": samples.blueprint(name).encode(level=LEVEL) for name in samples.BLUEPRINTS}
    return files | {f"{name}.sbpcfg": config.encode() for name, config in samples.CONFIGS.items()}


def shapez2() -> dict[str, bytes]:
    """Return the samples of shapez 2."""
    files = {f"{name}.spz2": shapez2_samples.save_bytes(make()) for name, make in shapez2_samples.SAVES.items()}
    return files | {f"{name}.spz2bp": make().code().encode() for name, make in shapez2_samples.CODES.items()}


#: Folder -> its files, each with its name.
FOLDERS = {
    "valid/satisfactory": satisfactory,
    "valid/gvas": lambda: {f"{name}.sav": data for name, data in gvas_samples.valid().items()},
    "valid/arx": lambda: {f"{name}.sav": make().encode() for name, make in arx_samples.SAMPLES.items()},
    "valid/astroneer": lambda: {name: make() for name, make in astroneer_samples.VALID.items()},
    "valid/shapez2": shapez2,
    "xbox": lambda: astroneer_samples.pieces(astroneer_samples.full().encode()),
    "howto": howto.files,
    "invalid": faults.invalid,
}


def main() -> None:
    """Write all files, and remove those of `corpora/invalid` that are none any more."""
    for folder, make in FOLDERS.items():
        files = make()
        for name, data in files.items():
            path = CORPORA / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        click.echo(f"{folder}: {len(files)} files, {sum(map(len, files.values())):,} bytes")
    for path in (CORPORA / "invalid").glob("*/*"):
        if path.relative_to(CORPORA / "invalid").as_posix() not in files:
            path.unlink()


if __name__ == "__main__":
    main()
