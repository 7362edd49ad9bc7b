"""The layouts of map objects in Palworld: of `ConcreteModel` by the class of the object, of its modules by their names."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import F32, I32, I64, STRING, U8, Array, Codec, Struct
from streamsave.formats.palworld.codecs import FLAG
from streamsave.formats.palworld.map_object_classes import CLASSES
from streamsave.formats.palworld.structs import (
    BYTE_ARRAY,
    COLOR,
    END,
    INSTANCE_ID,
    ITEM_AND_COUNT,
    ITEM_ID,
    TRIED_PLAYER,
    layout,
)
from streamsave.formats.palworld.versions import (
    DROP_RESERVED,
    MODEL_1_0,
    PICKUP_OWNER,
    SINCE_VERSIONS,
    Member,
    Versions,
)
from streamsave.formats.unreal.codecs import GUID, PropertyList

__all__ = ["concrete_model", "map_object_module"]

PROPERTIES: Final[Codec] = PropertyList(nested=True)
BOOTH_TRADE: Final = Struct("PalBoothTrade", None, product=ITEM_AND_COUNT, cost=ITEM_AND_COUNT, seller=GUID)

BASE: Final = [Member("instance_id", GUID), Member("model_instance_id", GUID), END]
PICKUP: Final = [Member("picked_up", FLAG), Member("may_pick_up", GUID, PICKUP_OWNER), END]
STORED_ENERGY: Final = [Member("stored_energy_amount", F32), END]
CHEST: Final = [Member("private_lock_player_uid", GUID, SINCE_VERSIONS), END]
LOCATION_POINT: Final = [Member("location_instance_id", GUID), END]
FARM: Final = [
    Member("crop_data_id", STRING),
    Member("current_state", U8),
    Member("crop_progress_rate", F32),
    Member("water_stack_rate", F32),
]

#: What each class has after the base, without `PalMapObject` and `Model` around the name; alternatives where there are some.
MODELS: Final[dict[str, list[list[Member]]]] = {
    "ConvertItem": [
        [
            Member("current_recipe_id", STRING),
            Member("remain_product_num", I32),
            Member("requested_product_num", I32),
            Member("work_speed_additional_rate", F32),
            Member("flag", FLAG, SINCE_VERSIONS),
            END,
        ]
    ],
    "PickupItemOnLevel": [PICKUP],
    "PalEgg": [PICKUP],
    "DropItem": [[*PICKUP, Member("item_id", ITEM_ID), END]],
    "ItemDropOnDamag": [
        [
            Member("drop_item_infos", Array(ITEM_AND_COUNT)),
            Member("flag", FLAG, SINCE_VERSIONS),
            Member("reserved", I32, DROP_RESERVED),
            END,
        ]
    ],
    "DeathPenaltyStorage": [[Member("owner_player_uid", GUID), Member("created_at", I64), END]],
    "DeathDroppedCharacter": [
        [
            Member("stored_parameter_id", GUID),
            Member("created_at", I64, MODEL_1_0),
            Member("reserved", I32, MODEL_1_0),
            Member("owner_player_uid", GUID),
            Member("flag", FLAG, MODEL_1_0),
            END,
        ]
    ],
    "DefenseBulletLauncher": [
        [Member("remaining_bullets", I32), Member("magazine_size", I32), Member("bullet_item", STRING), END]
    ],
    "GenerateEnergy": [STORED_ENERGY],
    "EnergyStorage": [STORED_ENERGY],
    "FarmBlockV2": [
        [*FARM, Member("crop_needs", F32), Member("crop_has_grown", F32), END, END],
        [*FARM, END, END],
    ],
    "TreasureBox": [[Member("treasure_grade_type", U8), END]],
    "BreedFarm": [
        [
            Member("spawned_egg_instance_ids", Array(GUID)),
            Member("progress", F32, MODEL_1_0),
            Member("parents", Array(INSTANCE_ID), MODEL_1_0),
            END,
        ]
    ],
    "HatchingEgg": [
        [
            Member("hatched_character", PROPERTIES),
            Member("reserved", I32),
            Member("hatched_character_guid", GUID),
            END,
        ]
    ],
    "ItemChest": [CHEST],
    "ItemChest_AffectCorruption": [CHEST],
    "ItemBooth": [
        [
            Member("owner", GUID),
            Member("trades", Array(BOOTH_TRADE)),
            Member("number", I32),
            Member("number_again", I32),
            Member("is_locked", FLAG),
            Member("last_number", I32),
            END,
        ]
    ],
    "BaseCampPoint": [LOCATION_POINT],
    "FastTravelPoint": [LOCATION_POINT],
    "Signboard": [[Member("signboard_text", STRING), Member("last_modified_player_uid", GUID, SINCE_VERSIONS), END]],
    "Torch": [[Member("extinction_date_time", I64), END]],
    "ProductItem": [[Member("work_speed_additional_rate", F32), Member("product_item_id", STRING), END]],
    "DimensionPalStorage": [[Member("flag", FLAG), END]],
    "CharacterTeamMission": [
        [
            Member("mission_id", STRING),
            Member("characters", Array(INSTANCE_ID)),
            Member("state", U8),
            Member("start_time", I64),
            END,
        ]
    ],
    "AncientMultiProduct": [[Member("product_item_id", STRING), END]],
    "AncientRelicRecycler": [[Member("recipe_id", STRING), Member("progress", F32), Member("worker", INSTANCE_ID), END]],
    "ShippingItem": [[Member("shipping_hours", Array(I32)), END]],
    "RecoverOtomo": [[Member("recover_amount_by_sec", F32), END]],
    "SupplyStorage": [[Member("created_at", I64), Member("number", I32), END]],
}

#: What each module has, by the end of the key of the map. Others are empty.
MODULES: Final[dict[str, list[Member]]] = {
    "ItemContainer": [
        Member("target_container_id", GUID),
        Member(
            "slot_attribute_indexes",
            Array(Struct("PalSlotAttribute", None, attribute=U8, indexes=Array(I32))),
        ),
        Member("all_slot_attribute", BYTE_ARRAY),
        Member("drop_item_at_disposed", FLAG),
        Member("usage_type", U8),
        END,
    ],
    "CharacterContainer": [Member("target_container_id", GUID), END],
    "Workee": [Member("target_work_id", GUID), END],
    "Switch": [Member("switch_state", U8), END],
    "PasswordLock": [
        Member("lock_state", U8),
        Member("password", STRING),
        Member("player_infos", Array(TRIED_PLAYER)),
        END,
    ],
    "RequireElementalAction": [Member("element", STRING), Member("number", I32), Member("last_number", I32), END],
    "GuildSecurity": [Member("roles", BYTE_ARRAY), END],
    "OperationalLoad": [Member("load", F32), Member("reserved", I32), END],
    "ColorSetting": [Member("colors", Array(Struct("PalPartColor", None, part=STRING, color=COLOR))), END],
}


def concrete_model(versions: Versions, map_object_id: str) -> list[Struct]:
    """What a map object has by its class: all have the base, and many nothing more."""
    name = CLASSES.get(map_object_id.lower(), "")
    return [layout(f"PalMapObject{name}Model", versions, [*BASE, *rows]) for rows in MODELS.get(name, [[]])]


def map_object_module(versions: Versions, kind: str) -> list[Struct]:
    """A module of a map object, by the key of the map."""
    rows = MODULES.get(kind)
    return [] if rows is None else [layout(f"PalMapObject{kind}Module", versions, rows)]
