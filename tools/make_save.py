"""Write Satisfactory saves: tiny ones that hold every construct, and big ones with the class mix of real worlds."""

from __future__ import annotations

import time
from pathlib import Path

import click
from writer.factory import sized_factory
from writer.samples import BLUEPRINTS, CONFIGS, SAMPLES, blueprint, edited, sample
from writer.satisfactory import RELEASES, write_save

CORPUS = Path(__file__).resolve().parent.parent / "corpora" / "valid" / "satisfactory"
CORPUS_LEVEL = 9
DEFAULT_OBJECTS = 20_000


def write_corpora(folder: Path) -> None:
    """(Re)write every sample file into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SAMPLES:
        path = folder / f"{name}.sav"
        click.echo(f"{path.name}: {write_save(sample(name), path, level=CORPUS_LEVEL):,} bytes")
    path = folder / "sv46-edited.sav"
    click.echo(f"{path.name}: {write_save(edited(), path, level=CORPUS_LEVEL):,} bytes")
    for name in BLUEPRINTS:
        path = folder / f"{name}.sbp"
        click.echo(f"{path.name}: {path.write_bytes(blueprint(name).encode(level=CORPUS_LEVEL)):,} bytes")
    for name, config in CONFIGS.items():
        path = folder / f"{name}.sbpcfg"
        click.echo(f"{path.name}: {path.write_bytes(config.encode()):,} bytes")


@click.command()
@click.option("--objects", type=click.IntRange(min=0), help="Make a world of about so many objects.")
@click.option("--megabytes", type=click.FloatRange(min=0), help="Make a world of about so many inflated megabytes (10**6).")
@click.option("--save-version", type=click.Choice([str(version) for version in RELEASES]), default="46", show_default=True)
@click.option("--levels", default=400, show_default=True, help="Streaming levels of the world.")
@click.option("--seed", default=1, show_default=True, help="The same seed makes the same world.")
@click.option("--zlib-level", type=click.IntRange(0, 9), default=6, show_default=True)
@click.option("--small", type=click.Choice(list(SAMPLES)), help="Write one of the sample files instead.")
@click.option("--corpora", is_flag=True, help="(Re)write all sample files of the repository.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="out.sav", show_default=True)
def main(
    *,
    objects: int | None,
    megabytes: float | None,
    save_version: str,
    levels: int,
    seed: int,
    zlib_level: int,
    small: str | None,
    corpora: bool,
    output: Path,
) -> None:
    """Write Satisfactory saves."""
    if objects and megabytes:
        raise click.UsageError("--objects and --megabytes are two ways to say how big; choose one")
    if corpora:
        write_corpora(CORPUS)
        return
    started = time.perf_counter()
    if small:
        size = write_save(sample(small), output, level=CORPUS_LEVEL)
    else:
        factory = sized_factory(
            int(save_version), seed, objects=objects or DEFAULT_OBJECTS, megabytes=megabytes or 0, levels=levels
        )
        size = write_save(factory.world(), output, level=zlib_level)
    click.echo(f"{output}: {size:,} bytes in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
