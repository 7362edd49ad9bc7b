"""A world of Palworld that commands are asked about, and other files of that game."""

from palworld_blobs import CHAINED, DIALECT, OLD, world_of
from writer import palworld as raw
from writer.gvas import SaveGame
from writer.palworld import Age, Blob, guid
from writer.palworld_worlds import array, base_camp, entries, fields, group, map_objects, nested, with_id
from writer.primitives import i32
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, BYTE, INT, INT64, NAME, STR, Array, Enum, Map, Prop, property_list

SPECIES = "Anubis"


TALENTS = [
    Prop("Rank", BYTE, 3),
    Prop("Gender", Enum("EPalGenderType"), "EPalGenderType::Female"),
    Prop("Talent_HP", INT, 50),
    Prop("Talent_Defense", INT, 100),
    Prop("PassiveSkillList", Array(NAME), ["Legend", "Swift"]),
    array(
        "GotWorkSuitabilityAddRankList",
        [[Prop("WorkSuitability", Enum("EPalWorkSuitability"), "EPalWorkSuitability::Mining"), Prop("Rank", INT, 2)]],
    ),
]


OWNER, GUILD, CHEST, BOX, BASE = 13, 6, 40, 75, 16


def guid_text(number: int) -> str:
    return f"{number:08X}-00000000-0000ABCD-00001234"


def character(key: int, *props: Prop) -> tuple[list[Prop], list[Prop]]:
    """An entry of the map of characters."""
    listed = property_list([Prop("SaveParameter", fields("PalIndividualCharacterSaveParameter"), list(props))], DIALECT)
    blob = Blob(listed + i32(0) + guid(1) + CHAINED.end, ["6cf6fc0f"])
    return [Prop("PlayerUId", GUID, guid(key)), Prop("InstanceId", GUID, guid(key + 1))], blob.props(CHAINED)


def container(number: int, slots: list[list[Prop]]) -> tuple[list[Prop], list[Prop]]:
    return [Prop("ID", GUID, guid(number))], [array("Slots", slots)]


def old_slot(name: str, count: int) -> list[Prop]:
    """A slot of the worlds before game 0.4."""
    return [Prop("SlotIndex", INT, 2), nested("ItemId", [Prop("StaticId", NAME, name)]), Prop("StackCount", INT, count)]


def pairs(name: str, made: list[tuple[list[Prop], list[Prop]]]) -> Prop:
    return Prop(name, Map(fields("Key"), fields("Value")), made)


def guild(age: Age) -> Prop:
    return entries("GroupSaveDataMap", with_id("Id"), [group(age, "Guild", raw.groups(age)["Guild"])])


OTHERS = (
    "PalWorldPlayerSaveGame",
    "PalWorldBaseInfoSaveGame",
    "PalWorldOptionSaveGame",
    "PalLocalWorldSaveGame",
    "PalOfTomorrow",
)
STORAGES = ("PalDimensionPalStorageSaveGame", "PalGlobalPalStorageSaveGame")


def stored(species: str, number: int, *props: Prop) -> list[Prop]:
    """A slot of a storage."""
    instance = [Prop("PlayerUId", GUID, guid(0)), Prop("InstanceId", GUID, guid(number))]
    return [nested("SaveParameter", [Prop("CharacterID", NAME, species), *props]), nested("InstanceId", instance)]


def level() -> bytes:
    """A world with a player, the player's pal, a guild, its base, its chest, another container, and one in a building of it."""
    storage = nested("GuildItemStorage", Blob(guid(CHEST) + CHAINED.end).props(CHAINED))
    jump = Prop("LastJumpedLocation", VECTOR, (100.0, 200.0, -300.0))
    player = [Prop("NickName", STR, "Anna"), Prop("IsPlayer", BOOL, True), Prop("Level", INT, 30), jump]
    pal = [Prop("CharacterID", NAME, SPECIES), Prop("OwnerPlayerUId", GUID, guid(OWNER)), *TALENTS]
    slots = [raw.item_slot(CHAINED).props(CHAINED)]
    boxes = [container(CHEST, slots), container(41, [old_slot("Stone", 9)]), container(BOX, [old_slot("Stone", 7)])]
    clock = [Prop("GameDateTimeTicks", INT64, 864_000_000_000), Prop("RealDateTimeTicks", INT64, 838_000_000)]
    return world_of(
        [
            pairs("CharacterSaveParameterMap", [character(OWNER, *player), character(50, *pal)]),
            array("MapObjectSaveData", map_objects(CHAINED, DIALECT, [""])),
            entries("BaseCampSaveData", with_id("Id"), [base_camp(CHAINED)]),
            pairs("ItemContainerSaveData", boxes),
            guild(CHAINED),
            Prop("GuildExtraSaveDataMap", Map(GUID, fields("Extra")), [(guid(GUILD), [storage])]),
            nested("GameTimeSaveData", clock),
        ]
    )


def save_of(kind: str, *props: Prop) -> bytes:
    """A file of the game that is no world."""
    return SaveGame(list(props), class_name=f"/Script/Pal.{kind}").encode()


def worlds() -> dict[str, bytes]:
    """The world; the same beside the file of its player, who carries two containers; what is no world; storages of pals."""
    carried = [nested(f"Container{number}", [Prop("ID", GUID, guid(number))]) for number in (41, 99)]
    data = nested("SaveData", [nested("InventoryInfo", carried), Prop("TechnologyPoint", INT, 21)])
    owner = Prop("OwnerPlayerUId", GUID, guid(OWNER))
    anubis = stored(SPECIES, 51, Prop("Level", INT, 30), Prop("NickName", STR, "Bo"), owner)
    slots = array("SaveParameterArray", [anubis, stored("None", 0), stored("Boar", 52)])
    player = f"server/Players/{guid_text(OWNER).replace('-', '')}.sav"
    return {
        "palworld/Level.sav": level(),
        "server/Level.sav": level(),
        player: save_of("PalWorldPlayerSaveGame", data),
        "palworld/old.sav": world_of([guild(OLD)]),
        **{f"palworld/{kind}.sav": save_of(kind, Prop("Version", INT, 100)) for kind in OTHERS},
        **{f"palworld/{kind}.sav": save_of(kind, slots) for kind in STORAGES},
    }
