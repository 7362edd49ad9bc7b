"""Categories of objects, and whether eyes of all kinds keep their colours apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from streamsave.report.categories import ALL, OTHER, Category, classify_for

SATISFACTORY = classify_for("satisfactory")
PALWORLD = classify_for("palworld")
SHAPEZ2 = classify_for("shapez2")


@pytest.mark.parametrize(
    ("kind", "class_name", "category"),
    [
        ("actor", "/Game/FactoryGame/Buildable/Factory/ConstructorMk1/Build_ConstructorMk1.Build_ConstructorMk1_C", "production"),
        ("actor", "Build_MinerMk2_C", "production"),
        ("actor", "Build_ConveyorBeltMk1_C", "logistics"),
        ("actor", "Build_ConveyorAttachmentSplitter_C", "logistics"),
        ("actor", "/Script/FactoryGame.FGConveyorChainActor", "logistics"),
        ("object", "/Script/FactoryGame.FGFactoryConnectionComponent", "logistics"),
        ("actor", "Build_PowerLine_C", "power"),
        ("actor", "Build_GeneratorCoal_C", "power"),
        ("object", "/Script/FactoryGame.FGPowerConnectionComponent", "power"),
        ("actor", "Build_StorageContainerMk1_C", "storage"),
        ("actor", "Build_ContainerScreen_Mk1_C", "structures"),
        ("object", "/Script/FactoryGame.FGInventoryComponent", "storage"),
        ("actor", "BP_Locomotive_C", "vehicles"),
        ("actor", "Build_RailroadTrack_C", "vehicles"),
        ("actor", "Build_TrainStation_C", "vehicles"),
        ("lightweight", "Build_Foundation_8x4_01_C", "structures"),
        ("lightweight", "SomeMod_Thing_C", "structures"),
        ("actor", "Build_Wall_8x4_01_C", "structures"),
        ("actor", "BP_BerryBush_C", "nature"),
        ("actor", "BP_CreatureSpawner_C", "nature"),
        ("actor", "Char_CrabHatcher_C", "nature"),
        ("actor", "/SomeMod/BP_DirtNode.BP_DirtNode_C", "nature"),
        ("actor", "BUILD_Potty_mk1_C", "structures"),
        ("actor", "Char_Player_C", "other"),
        ("actor", "BP_GameState_C", "other"),
    ],
)
def test_satisfactory(kind, class_name, category):
    assert SATISFACTORY(kind, class_name).name == category


@pytest.mark.parametrize(
    ("classify", "kind", "class_name", "category"),
    [
        (PALWORLD, "player", "player", "players and pals"),
        (PALWORLD, "pal", "IceHorse", "players and pals"),
        (PALWORLD, "foliage", "[-1_1_0]_tree_Spruce", "nature"),
        (PALWORLD, "map-object", "TreasureBox", "nature"),
        (PALWORLD, "map-object", "ItemChest", "storage"),
        (PALWORLD, "container", "container", "storage"),
        (PALWORLD, "map-object", "ElectricGenerator", "power"),
        (PALWORLD, "map-object", "Factory_Hard_01", "production"),
        (PALWORLD, "map-object", "Wooden_wall", "structures"),
        (PALWORLD, "base", "base", "bases"),
        (PALWORLD, "guild", "Guild", "other"),
        (SHAPEZ2, "building", "CutterDefaultInternalVariant", "production"),
        (SHAPEZ2, "building", "BeltDefaultForwardInternalVariant", "logistics"),
        (SHAPEZ2, "building", "WireDefaultForwardInternalVariant", "wires and logic"),
        (SHAPEZ2, "island", "Foundation_1x1", "structures"),
        (SHAPEZ2, "island", "Layout_TrainUnloader_Shapes", "vehicles"),
    ],
)
def test_other_games(classify, kind, class_name, category):
    assert classify(kind, class_name).name == category


def test_saves_of_other_games_have_none():
    classify = classify_for("")
    assert not classify
    assert classify("actor", "Build_ConstructorMk1_C") == OTHER
    assert bool(SATISFACTORY)


#: What an eye without one kind of cone sees of linear red, green and blue (Machado, Oliveira and Fernandes, 2009).
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
GROUNDS = {"light": "#FFFFFF", "dark": "#14171C"}


def linear(text: str) -> list[float]:
    values = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def lab(text: str, eye) -> tuple[float, float, float]:
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear(text), strict=True)))) for row in eye)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_colours_are_kept_apart(ground, eye):
    """By 25 steps of the CIE's colour space, of which one is just visible side by side."""
    for one, other in combinations(sorted({getattr(category, ground) for category in ALL} | {GROUNDS[ground]}), 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one, EYES[eye]), lab(other, EYES[eye]), strict=True)) ** 0.5
        assert distance > 25, (one, other)


def test_names_are_different():
    assert len({category.name for category in ALL}) == len(ALL)
    assert all(isinstance(category, Category) for category in ALL)
