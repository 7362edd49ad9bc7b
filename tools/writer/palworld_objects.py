"""Palworld: the concrete models of map objects, by their class, and their modules."""

from __future__ import annotations

from writer.dialect import Dialect
from writer.palworld import Age, Blob, guid, instance, item, item_num, parameters
from writer.primitives import bool32, counted, f32, floats, fstring, i32, i64, sized, u8

#: An id of each class.
IDS = {
    "": "WoodWall",
    "ConvertItem": "Workbench",
    "PickupItemOnLevel": "PickupItem_Stone",
    "PalEgg": "PalEgg_Fire",
    "DropItem": "CommonDropItem3D",
    "ItemDropOnDamag": "DamagableRock0001",
    "DeathPenaltyStorage": "DeathPenaltyChest",
    "DeathDroppedCharacter": "DroppedCharacter",
    "DefenseBulletLauncher": "DefenseMissile",
    "GenerateEnergy": "ElectricGenerator",
    "EnergyStorage": "EnergyStorage_Electric",
    "FarmBlockV2": "FarmBlockV2_Tomato",
    "TreasureBox": "TreasureBox",
    "BreedFarm": "BreedFarm",
    "HatchingEgg": "HatchingPalEgg",
    "ItemChest": "ItemChest",
    "ItemChest_AffectCorruption": "CoolerBox",
    "ItemBooth": "ItemBooth",
    "PalBooth": "PalBooth",
    "Lamp": "LargeCeilingLamp",
    "BaseCampPoint": "PalBoxV2",
    "FastTravelPoint": "FastTravelPoint",
    "Signboard": "SignBoard",
    "Torch": "Torch",
    "ProductItem": "StonePit",
    "DimensionPalStorage": "DimensionPalStorage",
    "CharacterTeamMission": "Expedition",
    "AncientMultiProduct": "AncientMultiProduct",
    "AncientRelicRecycler": "AncientRelicRecycler",
    "ShippingItem": "ShippingItemBox",
    "RecoverOtomo": "RecoverOtomo",
    "SupplyStorage": "SupplyDrop",
}


def concrete_models(age: Age, dialect: Dialect) -> dict[str, Blob]:
    """One of each class."""
    end = age.end
    base = guid(31) + guid(30) + end
    pick_up = bool32(True) + age.since("dc66ee47", guid(60)) + end
    chest = age.from_03(guid(61)) + end
    energy = f32(1_000_000.0) + end
    booth = counted([1], lambda _: item_num() + item_num("Money", 50) + guid(62))
    pal_booth = counted([77], lambda pal: instance(pal) + item_num("Money", 60) + guid(62))
    farm = fstring("tomato") + u8(2) + f32(0.5) + f32(0.25)
    breeding = counted([63], guid) + age.since("c26b6f63", f32(0.75) + counted([64], instance), 3) + end
    dropped = guid(65) + age.since("c26b6f63", i64(1) + i32(0), 3) + guid(66) + age.since("c26b6f63", bool32(False), 3) + end
    own = {
        "": b"",
        "ConvertItem": fstring("Nail") + i32(1) + i32(2) + f32(1.5) + age.from_02(bool32(True)) + end,
        "PickupItemOnLevel": pick_up,
        "PalEgg": pick_up,
        "DropItem": pick_up + item() + end,
        "ItemDropOnDamag": counted([item_num()], bytes) + age.from_05(bool32(False)) + age.since("49941d84", i32(0)) + end,
        "DeathPenaltyStorage": guid(67) + i64(5) + end,
        "DeathDroppedCharacter": dropped,
        "DefenseBulletLauncher": i32(5) + i32(6) + fstring("Arrow") + end,
        "GenerateEnergy": energy,
        "EnergyStorage": energy,
        "FarmBlockV2": farm + f32(3.0) + f32(4.0) + end + end,
        "TreasureBox": u8(2) + end,
        "BreedFarm": breeding,
        "HatchingEgg": parameters("SheepBall", dialect) + i32(0) + guid(68) + end,
        "ItemChest": chest,
        "ItemChest_AffectCorruption": chest,
        "ItemBooth": guid(69) + booth + i32(1) + i32(2) + bool32(True) + i32(3) + end,
        "PalBooth": pal_booth + guid(61) + i32(0) + end,
        "Lamp": bool32(True) + end,
        "BaseCampPoint": guid(70) + end,
        "FastTravelPoint": guid(71) + end,
        "Signboard": fstring("Hello") + age.from_05(guid(72)) + end,
        "Torch": i64(9) + end,
        "ProductItem": f32(1.0) + fstring("Stone") + end,
        "DimensionPalStorage": bool32(True) + end,
        "CharacterTeamMission": fstring("Mission") + counted([73], instance) + u8(1) + i64(4) + end,
        "AncientMultiProduct": fstring("Ancient") + end,
        "AncientRelicRecycler": fstring("Relic") + f32(0.5) + instance(74) + end,
        "ShippingItem": counted([8, 20], i32) + end,
        "RecoverOtomo": f32(2.0) + end,
        "SupplyStorage": i64(3) + age.from_05(i32(2)) + end,
    }
    keys = ["dc66ee47", "49941d84", "c26b6f63", "6cf6fc0f"]
    return {name: Blob(base + data, keys) for name, data in own.items()}


def young_farm(age: Age) -> Blob:
    """A field without the last two numbers."""
    end = age.end
    return Blob(guid(31) + guid(30) + end + fstring("tomato") + u8(2) + f32(0.5) + f32(0.25) + end + end)


def modules(age: Age) -> dict[str, Blob]:
    """One of each module that is not empty, and one that is."""
    end = age.end
    slots = counted([2], lambda kind: u8(kind) + counted([0, 1], i32))
    players = counted([76], lambda number: guid(number) + i32(3) + bool32(True))
    found = {
        "Energy": b"",
        "ItemContainer": guid(75) + slots + sized(b"\4") + bool32(True) + u8(1) + end,
        "CharacterContainer": guid(75) + end,
        "Workee": guid(50) + end,
        "Switch": u8(1) + end,
        "PasswordLock": u8(1) + fstring("1234") + players + end,
        "RequireElementalAction": fstring("Electric") + i32(0) + i32(1) + end,
    }
    if age.has("c26b6f63", 3):
        found["GuildSecurity"] = sized(b"\1\2") + end
        found["OperationalLoad"] = f32(0.5) + i32(0) + end
        found["ColorSetting"] = counted(["Roof"], lambda part: fstring(part) + floats((1.0, 0.0, 0.0, 1.0))) + end
    return {name: Blob(data) for name, data in found.items()}
