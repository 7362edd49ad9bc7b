"""The layouts of map objects in Palworld: of `ConcreteModel` by the class of the object, of its modules by their names."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import F32, I32, I64, STRING, U8, Array, Codec, Struct
from streamsave.formats.palworld.codecs import (
    BYTE_ARRAY,
    COLOR,
    END,
    FLAG,
    INSTANCE_ID,
    ITEM_AND_COUNT,
    ITEM_ID,
    TRIED_PLAYER,
)
from streamsave.formats.palworld.versions import (
    DROP_RESERVED,
    MODEL_1_0,
    PICKUP_OWNER,
    SINCE_FAULTY,
    SINCE_LATE_PLAIN,
    SINCE_VERSIONS,
    Layout,
    Member,
    Versions,
)
from streamsave.formats.unreal.codecs import GUID, PropertyList

__all__ = ["CLASSES", "concrete_model", "map_object_module"]

# --- the class of each object, by its lower-cased `MapObjectId`: what is not here has no fields of its own ---

#: Class, without `PalMapObject` and `Model` around the name -> ids.
IDS: Final = {
    "AncientMultiProduct": "ancientmultiproduct",
    "AncientRelicRecycler": "ancientrelicrecycler",
    "BaseCampPoint": "palboxv2",
    "BreedFarm": "breedfarm",
    "CharacterTeamMission": "expedition",
    "ConvertItem": (
        "ancientblastfurnace ancientcookingstove ancientworkbench blastfurnace blastfurnace2 blastfurnace3 blastfurnace4 "
        "blastfurnace5 campfire compositedesk cookingstove crusher electrickitchen factory_comfortable_01 "
        "factory_comfortable_02 factory_hard_01 factory_hard_02 factory_hard_03 factory_hard_04 factory_money flourmill "
        "hightechkitchen hugekitchen icecrusher medicinefacility_01 medicinefacility_02 medicinefacility_03 "
        "spherefactory_black_01 spherefactory_black_02 spherefactory_black_03 spherefactory_black_04 "
        "spherefactory_white_01 spherefactory_white_02 spherefactory_white_03 weaponfactory_clean_01 "
        "weaponfactory_clean_02 weaponfactory_clean_03 weaponfactory_dirty_01 weaponfactory_dirty_02 "
        "weaponfactory_dirty_03 weaponfactory_dirty_04 woodcrusher workbench workbench_skillcard workbench_skillunlock"
    ),
    "DeathDroppedCharacter": "droppedcharacter",
    "DeathPenaltyStorage": "deathpenaltychest",
    "DefenseBulletLauncher": "defensebowgun defensegatlinggun defensemachinegun defensemissile",
    "DimensionPalStorage": "dimensionpalstorage",
    "DropItem": "commondropitem3d commondropitem3d_sk",
    "EnergyStorage": "energystorage_electric",
    "FarmBlockV2": (
        "ancientfarmblock farmblockv2_berries farmblockv2_carrot farmblockv2_grade01 farmblockv2_grade02 "
        "farmblockv2_grade03 farmblockv2_lettuce farmblockv2_onion farmblockv2_potato farmblockv2_tomato "
        "farmblockv2_wheet"
    ),
    "FarmSkillFruits": "farm_skillfruits",
    "FastTravelPoint": "fasttravelpoint",
    "GenerateEnergy": (
        "ancientelectricgenerator electricgenerator electricgenerator2 electricgenerator3 electricgenerator_large "
        "electricgenerator_slave manualelectricgenerator"
    ),
    "HatchingEgg": "electrichatchingpalegg hatchingpalegg",
    "ItemBooth": "itembooth",
    "ItemChest": (
        "barrel_wood box01_iron box02_iron box_wood container01_iron dev_itemchest itemchest itemchest_02 itemchest_03 "
        "itemchest_04 shelf01_iron shelf01_stone shelf01_wall_iron shelf01_wall_stone shelf02_iron shelf02_stone "
        "shelf03_iron shelf03_stone shelf04_iron shelf04_stone shelf05_stone shelf06_stone shelf07_stone shelf_cask_wood "
        "shelf_hang01_wood shelf_wood tansu"
    ),
    "ItemChest_AffectCorruption": "coolerbox refrigerator",
    "ItemDropOnDamag": (
        "damagablebone0001 damagablerock0001 damagablerock0002 damagablerock0003 damagablerock0004 damagablerock0005 "
        "damagablerock0006 damagablerock0007 damagablerock0008 damagablerock0009 damagablerock0010 damagablerock0011 "
        "damagablerock0012 damagablerock0013 damagablerock0014 damagablerock0015 damagablerock0016 damagablerock0017 "
        "damagablerock0018 damagablerock0019 damagablerock0022 damagablerock_pv damagabletree_yakushima001 "
        "damagabletree_yakushima002 damagabletree_yakushima003 damagablewood0001 destroyablewall_rock01 "
        "destroyablewall_rock02 meteordrop_damagable yakushima_crystal yakushima_pot"
    ),
    "Lamp": "ceilinglamp lamp largeceilinglamp largelamp",
    "PalBooth": "palbooth",
    "PalEgg": (
        "palegg palegg_dark palegg_dragon palegg_earth palegg_electricity palegg_fire palegg_ice palegg_leaf palegg_water"
    ),
    "PickupItemOnLevel": (
        "meteordrop_pickup pickupitem_affectionfruit pickupitem_cavemushroom pickupitem_dogcoin pickupitem_flint "
        "pickupitem_log pickupitem_lotus_attack_01 pickupitem_lotus_attack_02 pickupitem_lotus_hp_01 "
        "pickupitem_lotus_hp_02 pickupitem_lotus_stamina_01 pickupitem_lotus_stamina_02 pickupitem_lotus_weight_01 "
        "pickupitem_lotus_weight_02 pickupitem_lotus_workspeed_01 pickupitem_lotus_workspeed_02 pickupitem_mushroom "
        "pickupitem_nightstone pickupitem_poppy pickupitem_potato pickupitem_redberry pickupitem_stone "
        "pickupitem_yakushimamushroom_01 pickupitem_yakushimamushroom_02 pickupitem_yakushimamushroom_03 skillfruit_test "
        "treasurebox_visiblecontent treasurebox_visiblecontent_skillfruits"
    ),
    "ProductItem": (
        "coalpit copperpit copperpit_2 crystalpit oilpump quartzpit stationdeforest2 stonepit sulfurpit well woodcreator"
    ),
    "RecoverOtomo": "recoverotomo",
    "ShippingItem": "shippingitembox",
    "Signboard": "headstone signboard wallsignboard",
    "SupplyStorage": "supplydrop",
    "Torch": (
        "candlestand enemycamp_candlestand enemycamp_firestand enemycamp_walltorch02 firestand light_fireplace01 "
        "light_fireplace02 torch walltorch walltorch02"
    ),
    "TreasureBox": (
        "treasurebox treasurebox_electric treasurebox_enemycamp treasurebox_enemycampgoal treasurebox_fire "
        "treasurebox_fishingjunk_requiredlonghold treasurebox_fishingjunk_requiredlonghold2 treasurebox_oilrig "
        "treasurebox_requiredlonghold treasurebox_water treasurebox_yakushima"
    ),
}
CLASSES: Final = {map_object_id: name for name, ids in IDS.items() for map_object_id in ids.split()}

# --- layouts ---

PROPERTIES: Final[Codec] = PropertyList(nested=True)
BOOTH_TRADE: Final = Struct("PalBoothTrade", None, product=ITEM_AND_COUNT, cost=ITEM_AND_COUNT, seller=GUID)
PAL_TRADE: Final = Struct("PalPalBoothTrade", None, pal=INSTANCE_ID, cost=ITEM_AND_COUNT, seller=GUID)

BASE: Final = [Member("instance_id", GUID), Member("model_instance_id", GUID), END]
PICKUP: Final = [Member("picked_up", FLAG), Member("may_pick_up", GUID, PICKUP_OWNER), END]
STORED_ENERGY: Final = [Member("stored_energy_amount", F32), END]
CHEST: Final = [Member("private_lock_player_uid", GUID, SINCE_FAULTY), END]
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
            Member("flag", FLAG, SINCE_LATE_PLAIN),
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
    "PalBooth": [
        [
            Member("trades", Array(PAL_TRADE)),
            Member("private_lock_player_uid", GUID),
            Member("reserved", I32),
            END,
        ]
    ],
    "Lamp": [[Member("is_turned_off", FLAG), END], []],
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
    "SupplyStorage": [[Member("created_at", I64), Member("number", I32, SINCE_VERSIONS), END]],
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


def concrete_model(_: Versions, map_object_id: str) -> list[Layout]:
    """What a map object has by its class: all have the base, and many nothing more."""
    name = CLASSES.get(map_object_id.lower(), "")
    return [(f"PalMapObject{name}Model", [*BASE, *rows]) for rows in MODELS.get(name, [[]])]


def map_object_module(_: Versions, kind: str) -> list[Layout]:
    """A module of a map object, by the key of the map."""
    return [(f"PalMapObject{kind}Module", MODULES[kind])] if kind in MODULES else []
