"""A big world with the class mix of real ones, made object by object and never held.

It is built from cells: two machines with their inventories and connections, belts and the chain they form, splitters,
poles and wires, now and then a container, a pipe or a circuit, and foundations. Around them are the subsystems every
save has (fog of war, removed foliage, statistics) and streaming levels with what grows and lives there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from attrs import define, evolve, field

from writer.dialect import Dialect
from writer.machines import BELTS_PER_CELL, SAVE_VERSION_CHAINS, kinds
from writer.primitives import Ref, i32, ref
from writer.satisfactory import (
    PERSISTENT,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_PER_LEVEL,
    SAVE_VERSION_VERSION_DATA,
    Anything,
    Encoded,
    Object,
    VersionData,
    World,
    release_header,
)
from writer.templates import REAL, Names, Stamp, Template, names, transform
from writer.trailers import (
    Instance,
    lightweight_head,
    lightweight_version,
)
from writer.vocabulary import (
    HALF,
    SWATCH,
    TURNS,
    buildable,
    recipe,
)
from writer.world import grids, streaming_level, subsystem, subsystems

MEGABYTE = 1_000_000
FOG_SIZE = 1 << 20
FOUNDATIONS_PER_CELL = 8
CIRCUIT_EVERY = 64
TRIAL_CELLS = 256
ON_THE_GRID = 0.6
LEVEL_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@define
class Factory:
    """Makes a world of ``cells`` cells and ``levels`` streaming levels, the same for the same seed."""

    save_version: int
    seed: int = 1
    cells: int = 100
    levels: int = 400
    fog: bytes = bytes((0, 0, 0, 255)) * (FOG_SIZE // 4)
    _groups: dict[str, list[list[Template]]] = field(init=False)
    _next_id: int = field(init=False, default=2_147_400_000)
    _random: Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Encode all templates."""
        self._random = Random(self.seed)
        dialect = self.dialect
        self._groups = {
            kind: [[Template.of(one, dialect) for one in group] for group in groups]
            for kind, groups in kinds(self.save_version).items()
        }

    @property
    def version_data(self) -> VersionData | None:
        """What a file of this SaveVersion says about its versions."""
        return VersionData() if self.save_version >= SAVE_VERSION_VERSION_DATA else None

    @property
    def dialect(self) -> Dialect:
        """How the persistent level is written."""
        data = self.version_data
        return Dialect(self.save_version) if data is None else Dialect(self.save_version, data.ue5)

    def world(self) -> World:
        """The world; its objects are generators that can be used once."""
        random = Random(self.seed + 1)
        cell_names = ["".join(random.choices(LEVEL_LETTERS, k=25)) for _ in range(2048)]
        levels = [streaming_level(name, random, self.version_data) for name in cell_names[: self.levels]]
        return World(
            evolve(release_header(self.save_version), play_duration=36 * self.cells),
            levels if self.save_version >= SAVE_VERSION_LEVELS else [],
            self.objects(),
            destroyed=[(PERSISTENT, [])] if self.save_version >= SAVE_VERSION_PER_LEVEL else [],
            grids=grids(cell_names, random),
            version_data=self.version_data,
        )

    def objects(self) -> Iterator[Anything]:
        """Every object of the persistent level."""
        yield from subsystems(self.seed + 3, self.fog)
        for index in range(self.cells):
            yield from self.cell(index)
        if self.save_version >= SAVE_VERSION_CHAINS:
            yield self._lightweight()

    def cell(self, index: int) -> Iterator[Encoded]:
        """All objects of one cell."""
        random = self._random
        x, y = (index % 100) * 2400.0 - 120000.0, (index // 100) * 3200.0 - 150000.0
        first = self._id()
        chain = self._id()
        for kind in ("machine", "machine", "attachment", "attachment", "power pole", "power line", "power line", "pole", "pole"):
            yield from self._some(kind, x, y, names(self._id(), first, chain))
        previous = first
        for _ in range(BELTS_PER_CELL):
            own = self._id()
            yield from self._some("belt", x, y, names(own, previous, chain))
            previous = own
        if self.save_version >= SAVE_VERSION_CHAINS:
            yield from self._some("chain", x, y, names(chain, first, previous))
        else:
            for _ in range(FOUNDATIONS_PER_CELL):
                yield from self._some("foundation", x, y, names(self._id()))
        if random.random() < 0.25:
            yield from self._some("container", x, y, names(self._id(), previous))
        if random.random() < 0.2:
            yield from self._some("pipe", x, y, names(self._id(), first))
        if index % CIRCUIT_EVERY == 0:
            yield from self._some("circuit", x, y, names(self._id(), first))

    def _id(self) -> bytes:
        self._next_id -= self._random.randrange(1, 60)
        return b"%010d" % self._next_id

    def _some(self, kind: str, x: float, y: float, ids: Names) -> Iterator[Encoded]:
        random, groups = self._random, self._groups[kind]
        group = groups[0] if len(groups) == 1 else random.choice(groups)
        position = (x + random.uniform(0.0, 2400.0), y + random.uniform(0.0, 3200.0), random.uniform(-2000.0, 9000.0))
        angle = random.uniform(-math.pi, math.pi)
        turn = random.choice(TURNS) if random.random() < ON_THE_GRID else (0.0, 0.0, math.sin(angle), math.cos(angle))
        there = transform(turn, position)
        for template in group:
            yield template.stamp(ids, random, there)

    def _lightweight(self) -> Encoded:
        """All foundations: one object, made in pieces."""
        dialect, random = self.dialect, Random(self.seed + 2)
        version = lightweight_version(dialect)
        total = self.cells * FOUNDATIONS_PER_CELL
        shapes = ("8x1_01", "8x2_01", "8x4_01", "Concrete_8x2", "Metal_8x4", "Asphalt_8x1", "Ramp_8x2_01", "Ramp_8x4_01")
        counts = [total // len(shapes)] * len(shapes)
        stamps, heads = [], []
        for shape, count in zip(shapes, counts, strict=True):
            name = f"Build_Foundation_{shape}"
            place = (0.0, 0.0, HALF, HALF, REAL, REAL, REAL, 1.0, 1.0, 1.0)
            made = recipe("Buildings/Foundations", f"Foundation_{shape}")
            stamps.append(Stamp.of(Instance(place, swatch=SWATCH, recipe=made).encode(dialect, version)))
            heads.append(ref(Ref("", buildable("Building/Foundation", name))) + i32(count))

        def instances() -> Iterator[bytes]:
            for head, stamp, count in zip(heads, stamps, counts, strict=True):
                yield head
                for _ in range(count):
                    yield stamp.fill({}, random)

        size = sum(len(head) + stamp.size * count for head, stamp, count in zip(heads, stamps, counts, strict=True))
        one = subsystem("/Script/FactoryGame.FGLightweightBuildableSubsystem", "LightweightBuildableSubsystem")
        start = one.data(dialect) + lightweight_head(dialect, version, len(shapes))
        return Encoded(one, one.header(self.save_version), start, size, instances())


def _measure(factory: Factory) -> tuple[int, int]:
    """Objects and bytes of a world, by making it."""
    count, total = 0, 0

    def size(one: Anything) -> int:
        overhead = 16 if factory.save_version >= SAVE_VERSION_VERSION_DATA else 12
        if isinstance(one, Object):
            return len(one.header(factory.save_version)) + len(one.data(factory.dialect)) + overhead
        return len(one.toc) + len(one.start) + one.size + overhead

    world = factory.world()
    for level in world.levels:
        for one in level.objects:
            count, total = count + 1, total + size(one) + 6
    for one in world.objects:
        count, total = count + 1, total + size(one)
    return count, total + sum(len(grid.encode()) for grid in world.grids)


def sized_factory(save_version: int, seed: int, *, objects: int = 0, megabytes: float = 0, levels: int = 400) -> Factory:
    """A factory whose world has about so many objects, or about so many inflated megabytes."""
    fixed = _measure(Factory(save_version, seed, 0, levels))
    trial = _measure(Factory(save_version, seed, TRIAL_CELLS, levels))
    per_cell = [(with_cells - without) / (TRIAL_CELLS) for with_cells, without in zip(trial, fixed, strict=True)]
    wanted, each = (megabytes * MEGABYTE - fixed[1], per_cell[1]) if megabytes else (objects - fixed[0], per_cell[0])
    cells = wanted / each
    return Factory(save_version, seed, max(0, round(cells)), levels)
