"""The layouts of work in Palworld: what there is to do, and who does it."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import F32, F64, I32, STRING, U8, Array, Struct
from streamsave.formats.palworld.codecs import CLASS_END, FLAG, Constant
from streamsave.formats.palworld.structs import END, INSTANCE_ID, QUAT, TRANSFORM, VECTOR, layout
from streamsave.formats.palworld.versions import PROGRESS_KIND, Member, Versions
from streamsave.formats.unreal.codecs import GUID

__all__ = ["work", "work_assignment"]

#: A place to stand while working: where, and which way to look.
PLACE: Final = Struct("PalWorkPlace", None, location=VECTOR, facing=VECTOR)
SUITABILITY: Final = Struct(
    "PalSuitabilityProgress", None, work_suitability=U8, required_amount=F32, current_amount=F32, auto_amount_by_sec=F32
)
MULTI_TYPE: Final = "Progress_MultiType"

BASE: Final = [
    Member("id", GUID),
    Member("location", VECTOR),
    Member("rotation", QUAT),
    Member("bounds_origin", VECTOR),
    Member("bounds_extent", VECTOR),
    Member("bounds_radius", F64),
    Member("base_camp_id_belong_to", GUID),
    Member("owner_map_object_model_id", GUID),
    Member("owner_map_object_concrete_model_id", GUID),
    Member("current_state", U8),
    Member("assign_locations", Array(PLACE)),
    Member("behaviour_type", U8),
    Member("assign_define_data_id", STRING),
    Member("override_work_type", U8),
    Member("assignable_fixed_type", U8),
    Member("assignable_otomo", FLAG),
    Member("can_trigger_worker_event", FLAG),
    Member("can_steal_assign", FLAG),
    END,
]
PROGRESS: Final = [
    Member("required_work_amount", F32),
    Member("work_experience", I32),
    Member("kind", U8, PROGRESS_KIND),
    Member("current_work_amount", F32),
    Member("auto_work_self_amount_by_sec", F32),
    END,
]
#: What follows the base, by type. Types that are not here have nothing of their own.
OWN: Final[dict[str, list[Member]]] = {
    "Defense": [Member("defense_combat_type", U8), END],
    "Progress": PROGRESS,
    MULTI_TYPE: [*PROGRESS, Member("progress_by_type", Array(SUITABILITY)), Member("class_end", CLASS_END)],
    "ReviveCharacter": [Member("target_individual_id", INSTANCE_ID), END],
}
#: Where the work is: its kind, and what that holds.
TRANSFORMS: Final = [
    [Member("transform_type", Constant(2)), Member("map_object_instance_id", GUID), END, END],
    [Member("transform_type", Constant(1)), Member("transform", TRANSFORM), END],
    [Member("transform_type", Constant(3)), Member("guid", GUID), Member("instance_id", GUID), END],
]


def work(versions: Versions, kind: str) -> list[Struct]:
    """Something to do, by the type of the work."""
    rows = [*BASE, *OWN.get(kind, [])]
    return [layout("PalWork", versions, [*rows, *transform]) for transform in TRANSFORMS]


def work_assignment(versions: Versions, kind: str) -> list[Struct]:
    """Who does it."""
    rows = [
        Member("id", GUID),
        Member("location_index", I32),
        Member("assign_type", U8),
        Member("assigned_individual_id", INSTANCE_ID),
        Member("state", U8),
        Member("fixed", FLAG),
        END,
    ]
    if kind == MULTI_TYPE:
        rows += [Member("suitability", U8), Member("suitability_rank", U8), Member("suitability_state", U8), END]
    return [layout("PalWorkAssign", versions, rows)]
