"""The built-in profiles: which elements of which containers are objects, by the class of the save game.

The rows are texts as `streamsave.formats.unreal.object_rows` says.
"""

from __future__ import annotations

from typing import Final

from streamsave.formats.palworld.game import CHARACTER, DIMENSIONAL_STORAGE, GLOBAL_STORAGE, WORLD

__all__ = ["profile_of"]

MAP_OF_PLANTS: Final = "worldSaveData.FoliageGridSaveDataMap[*].value.ModelMap[*].value.InstanceDataMap[*]"
#: Container -> what the header of an object says.
PALWORLD_ROWS: Final = {
    "worldSaveData.CharacterSaveParameterMap[*]": f"kind=player?{CHARACTER}.IsPlayer=true:pal class_name={CHARACTER}.CharacterID "
    f"instance_name={CHARACTER}.NickName/key.InstanceId outer={CHARACTER}.OwnerPlayerUId has=key.PlayerUId",
    "worldSaveData.GroupSaveDataMap[*]": "kind=guild?value.GroupType=Guild/IndependentGuild:group class_name=value.GroupType "
    "instance_name=value.RawData.guild_name/key has=value.GroupType",
    "worldSaveData.BaseCampSaveData[*]": "kind=base instance_name=value.RawData.name/key position=value.RawData.transform "
    "outer=value.RawData.group_id_belong_to has=value.WorkerDirector",
    "worldSaveData.MapObjectSaveData[*]": "kind=map-object class_name=MapObjectId instance_name=Model.RawData.instance_id "
    "position=Model.RawData.initial_transform_cache outer=Model.RawData.base_camp_id_belong_to has=MapObjectId/Model",
    "worldSaveData.ItemContainerSaveData[*]": "kind=container instance_name=key.ID has=value.Slots lacks=value.bReferenceSlot",
    "worldSaveData.CharacterContainerSaveData[*]": "kind=pal-container instance_name=key.ID has=value.Slots "
    "lacks=value.BelongInfo",
    "worldSaveData.DynamicItemSaveData[*]": "kind=item class_name=RawData.static_id "
    "instance_name=RawData.local_id_in_created_world has=RawData lacks=WorkableType",
    "worldSaveData.WorkSaveData[*]": "kind=work class_name=WorkableType instance_name=RawData.id position=RawData.transform "
    "outer=RawData.base_camp_id_belong_to has=WorkableType",
    "worldSaveData.GuildExtraSaveDataMap[*]": "kind=guild-extra instance_name=key has=value.GuildItemStorage",
    MAP_OF_PLANTS: "kind=foliage class_name=..key instance_name=key.Guid position=value.RawData.location "
    "has=key.Guid/value.RawData",
}

#: A player's dimensional storage, and the storage that all worlds share: most slots are empty.
STORAGE_ROWS: Final = {
    "SaveParameterArray[*]": "kind=empty-slot?SaveParameter.CharacterID=None:pal class_name=SaveParameter.CharacterID "
    "instance_name=SaveParameter.NickName/InstanceId.InstanceId outer=SaveParameter.OwnerPlayerUId has=SaveParameter",
}
ABIOTIC_ROWS: Final = {
    "DeployedObjectMap[*]": "kind=deployed-object class_name=value.Class position=value.Transform",
    "ResourceNodeMap[*]": "kind=resource-node position=value.CurrentPosition",
    "NarrativeNPCMap[*]": "kind=npc class_name=value.NPCClass position=value.Location",
    "NPCSpawnMap[*]": "kind=npc-spawn",
    "SimpleDoorMap[*]": "kind=door",
    "SecurityDoorMap[*]": "kind=door",
    "ElevatorMap[*]": "kind=elevator",
    "DestructibleMap[*]": "kind=destructible",
    "TriggerMap[*]": "kind=trigger",
}
RAILROADS_ROWS: Final = {"PropsTransformArray[*]": "kind=prop position=Translation"}
ROCK_ROWS: Final = {"CharacterSaves[*]": "kind=character instance_name=SavegameID"}
PROP_PACK_ROWS: Final = {
    "PropList[*]": "kind=prop class_name=DynamicPropClass/StaticMesh instance_name=PropName position=PropPosition"
}
HOGWARTS_ROWS: Final = {
    "Info.CharacterList[*]": "kind=character instance_name=CharacterName",
    "Info.SaveFileList[*]": "kind=save-file class_name=SaveType instance_name=FilenameSlot",
}
SAVAGE_PLANET_ROWS: Final = {"SaveGameData.QuestsStatus[*]": "kind=quest instance_name=QuestInternalName"}

#: Class of the save game -> rows.
PROFILES: Final[dict[str, dict[str, str]]] = {
    WORLD: PALWORLD_ROWS,
    DIMENSIONAL_STORAGE: STORAGE_ROWS,
    GLOBAL_STORAGE: STORAGE_ROWS,
    "/Game/Blueprints/Saves/Abiotic_WorldSave.Abiotic_WorldSave_C": ABIOTIC_ROWS,
    "/Script/arr.ARRSaveGame": RAILROADS_ROWS,
    "/Script/FSD.FSDSaveGame": ROCK_ROWS,
    "/Game/_ModBPs/PropPack/PropSettingsSave.PropSettingsSave_C": PROP_PACK_ROWS,
    "/Script/PersistentData.PersistentGameDataList": HOGWARTS_ROWS,
    "/Script/Towers.TowersPlayerSaveGame": SAVAGE_PLANET_ROWS,
}


def profile_of(class_name: str) -> list[str]:
    """Return the rows for a class of save games; none where the save is one object."""
    return [f"{path} {header}" for path, header in PROFILES.get(class_name, {}).items()]
