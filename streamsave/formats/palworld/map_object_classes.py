"""The class of a map object in Palworld, by its lower-cased `MapObjectId`. What is not here has no fields of its own."""

from __future__ import annotations

from typing import Final

__all__ = ["CLASSES"]

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
