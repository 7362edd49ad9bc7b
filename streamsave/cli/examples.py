"""Examples at the end of each `--help`. With double quotes, each line is the same for a shell and for cmd of Windows."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["EXAMPLES", "write_examples"]

#: The words of a command -> command lines without `streamsave`.
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "info": ("info world.sav", "info --json saves", "info world.sav Level.sav arx.sav"),
    "ls": (
        "ls world.sav --by-class",
        'ls world.sav --where "class ~ Spawner and not kind = object"',
        'ls Level.sav --where "kind = map-object"',
    ),
    "cat": ("cat world.sav --depth 2", "cat world.sav --object BP_Museum_C_1", "cat arx.sav --flat"),
    "grep": ("grep Spawner saves", "grep Spawner world.sav --property mSpawnData", "grep . world.sav --value Iron"),
    "get": (
        "get world.sav BP_Museum_C_1",
        "get world.sav BP_Museum_C_1 --property mInventoryStacks",
        "get arx.sav player --flat",
    ),
    "json": ("json world.sav", "json world.sav -o world.json", 'json world.sav --ndjson --where "class = *Museum_C"'),
    "export": (
        "export world.sav -o objects.csv",
        'export saves --where "class = *CreatureSpawner*" --field mSpawnData[0].NumTimesKilled --format csv -o -',
        "export saves --newest 2 --with-header --format ndjson -o objects.ndjson",
    ),
    "sql": (
        'sql "select class, count(*) from objects group by 1 order by 2 desc" world.sav',
        "sql \"select file, sum(size) from objects where class like '%Spawner%' group by 1\" saves",
        'sql "select name, x, y from objects limit 5" world.sav --json',
    ),
    "map": (
        "map world.sav -o map.png --nature",
        'map world.sav -o spawners.svg --where "class = *Spawner*" --title Spawners',
        "map Level.sav -o palworld.png --size 800x600",
    ),
    "treemap": ("treemap world.sav -o sizes.png", "treemap world.sav -o mods.svg --by-mod", "treemap Level.sav -o palworld.pdf"),
    "report": (
        "report world.sav -o world.html",
        'report world.sav -o machines.html --where "class = *Museum*" --title Museum',
        "report Level.sav -o palworld.html",
    ),
    "extract": ("extract arx.sav -o all", "extract arx.sav player -o entries --force", "extract arx.sav -o unpacked --json"),
    "pack": (
        "pack entries -o packed.sav",
        "pack entries -o old.sav --container-version 1.0",
        "pack entries -o same.sav --like arx.sav",
    ),
    "edit": (
        'edit world.sav -o less.sav --drop "class = *CreatureSpawner*"',
        'edit world.sav -o renamed.sav --session-name "Our factory"',
        'edit Level.sav --dry-run --where "class = SheepBall" --set "value.RawData.object.SaveParameter.Level = 9"',
    ),
    "salvage": (
        "salvage damaged.sav -o sound.ndjson",
        "salvage damaged.sav --save sound.sav",
        "salvage world.sav -o all.ndjson --json",
    ),
    "explain": (
        "explain world.sav 0x3e8",
        "explain world.sav BP_Museum_C_1/mInventoryStacks",
        "explain world.sav 4000 --file-offset",
    ),
    "check": ("check world.sav", "check saves --summary", "check saves --quiet --newest 2"),
    "diff": ("diff world.sav later.sav", "diff world.sav later.sav --summary", "diff world.sav later.sav --ignore mSpawnData"),
    "stats": ("stats world.sav", "stats saves --top 5", "stats world.sav --format prometheus"),
    "palworld": ("palworld players Level.sav", "palworld pals Level.sav", "palworld items Level.sav --guild-chests"),
    "palworld guilds": (
        "palworld guilds Level.sav",
        "palworld guilds Level.sav --json",
        "palworld guilds Level.sav --limit depth=200",
    ),
    "palworld items": (
        "palworld items Level.sav",
        "palworld items Level.sav --guild-chests",
        'palworld items Level.sav --where "kind = container"',
    ),
    "palworld pals": (
        "palworld pals Level.sav",
        "palworld pals Level.sav --json",
        'palworld pals Level.sav --where "class = Sheep*"',
    ),
    "palworld players": (
        "palworld players Level.sav",
        "palworld players Level.sav --json",
        'palworld players Level.sav --where "name ~ Anna"',
    ),
    "satisfactory": (
        "satisfactory inventory world.sav",
        "satisfactory mods world.sav",
        "satisfactory power world.sav --unconnected",
    ),
    "satisfactory inventory": (
        "satisfactory inventory world.sav",
        "satisfactory inventory saves --json",
        'satisfactory inventory world.sav --where "outer ~ StorageContainer"',
    ),
    "satisfactory machines": (
        "satisfactory machines world.sav",
        "satisfactory machines saves --json",
        'satisfactory machines world.sav --where "class = *Constructor*"',
    ),
    "satisfactory mods": ("satisfactory mods world.sav", "satisfactory mods saves", "satisfactory mods world.sav --json"),
    "satisfactory power": (
        "satisfactory power world.sav",
        "satisfactory power world.sav --unconnected",
        "satisfactory power saves --json",
    ),
    "satisfactory trains": ("satisfactory trains world.sav", "satisfactory trains saves", "satisfactory trains world.sav --json"),
    "completion": ("completion bash", "completion zsh", "completion fish"),
}


def write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the examples of a command below its options."""
    words = ctx.command_path.split()[1:]
    with formatter.section("Examples"):
        for line in EXAMPLES.get(" ".join(words), ()):
            formatter.write_text(f"streamsave {line}")
