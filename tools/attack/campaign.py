"""Many inputs, in processes that are watched: what does not end, or takes the process with it, is a finding, too.

| finding | when |
|---|---|
| slow | more than `SLOW_FACTOR` times the median time per byte, and more than `SLOW_FLOOR`, each time that it is tried |
| lie, untold, miscounted | see `truth`, `containers`, `arx_table` and `stream_truth` |
| silent | see `directory` and `arx_table` |
| progress | see `progress` |
| memory | reading makes the peak of the warm process rise by more than `MEMORY_STEP`; making inputs does not count |
| hang | no progress within `HANG` seconds; the process is ended |
| died | the process ended by itself |

The module is long because a worker and what watches it agree on each step.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty
from typing import Any, Final

from attrs import Factory, define, evolve, frozen

from attack.arx_table import Rows, lies_of_table
from attack.containers import Contents, lies_of_entries
from attack.contract import Finding, Verdict, judge, timed
from attack.directory import Sound, silence
from attack.minimise import minimise
from attack.mutator import Mutant, Mutator, make_mutator
from attack.progress import pace, too_much
from attack.stream_truth import StreamTruth, lies_of_stream
from attack.surgery import Truth
from attack.truth import lies

#: Seeds of one `--seed`, one after the other.
SEEDS: Final = 10**9

SLOW_FACTOR: Final = 20
#: Seconds of the processor. Whatever takes no more than this is not slow: opening a source costs the same for few bytes and many.
SLOW_FLOOR: Final = 0.005
#: How often an input is read again that seems to be the slowest so far; the least time counts. Below `SLOW_AGAIN` times the
#: median it is not: then the clock may have seen more than the input.
TRIES: Final = 3
SLOW_AGAIN: Final = SLOW_FACTOR / 2
#: Inputs that give the median; they are looked at themselves, too.
WARM: Final = 300
#: MiB.
MEMORY_STEP: Final = 32
#: A damaged Oodle stream may take 5 seconds of a busy machine each time that it is read.
HANG: Final = 60.0
#: Looks at a process without progress between them: fewer, and it is the machine that stood still.
LOOKS: Final = 3
MINIMISE: Final = 10.0
#: A folder in memory.
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
#: One input of so many is looked at for what survival costs.
PROGRESS_EACH: Final = 3
#: Of the inputs that are compared, values are built in one of so many.
BUILDING: Final = 3
#: Objects that make the collector look: some hundred are those of one stream, which need not be looked at while they are in use.
COLLECT_AFTER: Final = 3000
#: Kinds of findings that no smaller input shows for certain: they depend on the machine, or on what there was before.
WHOLE: Final = frozenset({"slow", "memory", "lie", "untold", "miscounted", "silent"})


@frozen
class Task:
    """What one process has to do."""

    folders: Sequence[Path]
    first: int
    count: int
    step: int = 1
    #: When to stop, by the clock of the system; 0: never.
    until: float = 0.0


@frozen
class Found:
    """A finding, with all that is needed to see it again."""

    finding: Finding
    mutant: Mutant
    smallest: bytes


@define
class Tally:
    """What was seen."""

    inputs: int = 0
    events: int = 0
    size: int = 0
    outcomes: Counter[str] = Factory(Counter)
    findings: Counter[str] = Factory(Counter)
    #: How many inputs were looked at in which way, besides being read as bytes.
    ways: Counter[str] = Factory(Counter)
    #: Seconds, seed.
    slowest: tuple[float, int] = (0.0, 0)
    #: Times the median per byte, seed: see `times_median`.
    worst: tuple[float, int] = (0.0, 0)
    #: MiB above what the process had when it was warm.
    memory: float = 0.0

    def add(self, other: Tally) -> None:
        """Count what another process saw."""
        self.inputs += other.inputs
        self.events += other.events
        self.size += other.size
        self.outcomes += other.outcomes
        self.findings += other.findings
        self.ways += other.ways
        self.slowest = max(self.slowest, other.slowest)
        self.worst = max(self.worst, other.worst)
        self.memory = max(self.memory, other.memory)


def times_median(seconds: float, size: int, median: float) -> float:
    """Return how slow an input is, in medians per byte; where those say next to nothing, in parts of `SLOW_FLOOR`."""
    return seconds / max(size * median, SLOW_FLOOR / SLOW_FACTOR)


def peak() -> float:
    """MiB that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def scratch() -> Path | None:
    """Return a folder that is in memory, where the system has one: inputs that must be paths are written by the ten thousand."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


def quiet() -> None:
    """Write no warnings: broken saves give reason for millions."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


class Campaign:
    """Judges mutants, one after the other."""

    def __init__(self, mutator: Mutator, folder: Path, tell: Callable[[Found], None], seen: Callable[[int], None]) -> None:
        self.tally = Tally()
        self._mutator = mutator
        self._folder = folder
        #: Called with each finding, and before an input is read.
        self._tell = tell
        self._seen = seen
        self._paces: list[float] = []
        self._median = 0.0
        #: Seconds per byte of sound saves; negative: not measured yet.
        self._sound_pace = -1.0

    def run(self, task: Task) -> Tally:
        """Judge the mutants of a task."""
        for seed in range(task.first, task.first + task.count * task.step, task.step):
            if task.until and time.time() > task.until:
                break
            self._seen(seed)
            self.one(seed)
        return self.tally

    def one(self, seed: int) -> None:
        """Judge the mutant of one seed."""
        mutant = self._mutator.make(seed)
        before = peak()
        verdict = judge(mutant.data, seed, self._folder)
        if not verdict.findings:
            verdict.findings += self._survival(mutant, verdict.ways)
        findings = [*verdict.findings, *self._grows(peak() - before), *self._slow(mutant, verdict)]
        self._count(mutant, verdict)
        for finding in findings:
            self.tally.findings[finding.key] += 1
            # Others of the same key may have another cause: each is told, and only the first is made smaller.
            is_first = self.tally.findings[finding.key] == 1
            self._tell(Found(finding, mutant, self._smallest(mutant, finding) if is_first else mutant.data))

    def _survival(self, mutant: Mutant, ways: list[str]) -> list[Finding]:
        """Look at what is given of a damaged save, and at what that costs."""
        found: list[Finding] = []
        if mutant.truth is not None:
            ways.append("truth")
        if isinstance(mutant.truth, Truth):
            found += lies(mutant.data, mutant.truth, mutant.seed)
        elif isinstance(mutant.truth, Contents):
            found += lies_of_entries(mutant.data, mutant.truth)
        elif isinstance(mutant.truth, StreamTruth):
            found += lies_of_stream(mutant.data, mutant.truth, builds=mutant.seed % BUILDING == 0)
        elif isinstance(mutant.truth, Rows):
            found += lies_of_table(mutant.data, mutant.truth)
        elif isinstance(mutant.truth, Sound):
            found += silence(mutant.data, mutant.truth)
        if mutant.seed % PROGRESS_EACH == 0:
            ways.append("progress")
            if self._sound_pace < 0:
                self._sound_pace = pace(self._mutator.samples)
            found += too_much(mutant.data, mutant.size, self._sound_pace)
        return found

    def _count(self, mutant: Mutant, verdict: Verdict) -> None:
        tally = self.tally
        tally.inputs += 1
        tally.events += verdict.events
        tally.size += mutant.size
        tally.outcomes[verdict.outcome] += 1
        tally.ways.update(verdict.ways)
        tally.slowest = max(tally.slowest, (verdict.seconds, mutant.seed))

    def _slow(self, mutant: Mutant, verdict: Verdict) -> Iterator[Finding]:
        if len(self._paces) < WARM:
            self._paces.append(verdict.seconds / max(mutant.size, 1))
            self._median = statistics.median(self._paces)
        times = times_median(verdict.seconds, mutant.size, self._median)
        if SLOW_AGAIN >= times > self.tally.worst[0]:
            self.tally.worst = (times, mutant.seed)
        if times > max(min(self.tally.worst[0], SLOW_FACTOR), SLOW_AGAIN):
            seconds = min(verdict.seconds, *(timed(mutant.data)[1] for _ in range(TRIES)))
            times = times_median(seconds, mutant.size, self._median)
            self.tally.worst = max(self.tally.worst, (times, mutant.seed))
            if times > SLOW_FACTOR:
                detail = f"{seconds:.3f} s for {mutant.size} bytes, {times:.1f} times what is usual"
                yield Finding("slow", detail, f"slow {mutant.sample}")

    def _grows(self, step: float) -> Iterator[Finding]:
        if self.tally.inputs >= WARM:
            self.tally.memory += step
            if step > MEMORY_STEP:
                yield Finding("memory", f"{step:.0f} MiB more than any input before", "memory")

    def _smallest(self, mutant: Mutant, finding: Finding) -> bytes:
        if finding.kind in WHOLE:
            return mutant.data

        def shows(data: bytes) -> bool:
            self._seen(mutant.seed)
            if finding.kind == "progress":
                return any(other.key == finding.key for other in too_much(data, mutant.size, self._sound_pace))
            return any(other.key == finding.key for other in judge(data, mutant.seed, self._folder).findings)

        return minimise(mutant.data, shows, seconds=MINIMISE) if shows(mutant.data) else mutant.data


def _work(task: Task, queue: Any, seed: Any, beats: Any) -> None:  # noqa: ANN401 - of multiprocessing, which names no types
    """Do a task in a process of its own: seeds and beats for who watches, findings and a tally through the queue."""
    quiet()
    watcher = os.getppid()

    def seen(number: int) -> None:
        if os.getppid() != watcher:
            sys.exit("the watching process has ended")
        seed.value = number
        beats.value += 1

    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        campaign = Campaign(make_mutator(task.folders), Path(folder), queue.put, seen)
        gc.collect()
        gc.set_threshold(COLLECT_AFTER)
        gc.freeze()  # samples and their places stay: the collector need not look at them after each few inputs
        queue.put(campaign.run(task))


class Watched:
    """A process with a task, and what is known of its progress."""

    def __init__(self, task: Task, context: Any) -> None:  # noqa: ANN401 - of multiprocessing, which names no types
        self.task = task
        self.queue: Any = context.Queue()
        self.seed: Any = context.Value("q", -1, lock=False)
        self._beats: Any = context.Value("q", 0, lock=False)
        self.process: BaseProcess = context.Process(target=_work, args=(task, self.queue, self.seed, self._beats))
        self.process.start()
        #: What it had begun with when that changed last, when that was, and how often it was looked at since.
        self._last = (0, time.monotonic())
        self._looks = 0

    def hangs(self) -> bool:
        """Whether there was no progress for too long; what comes before the first input may take its time."""
        beats, since = self._last
        now = time.monotonic()
        self._looks += 1
        if self._beats.value != beats or not beats:
            self._last = (self._beats.value, now)
            self._looks = 0
        return now - since > HANG and self._looks >= LOOKS

    def done(self) -> int:
        """How many inputs it has begun with.

        Raises:
            RuntimeError: none.
        """
        if self.seed.value < 0:
            raise RuntimeError(f"a process ended before its first input, with exit code {self.process.exitcode}")
        done: int = (self.seed.value - self.task.first) // self.task.step + 1
        return done

    def rest(self) -> Task:
        """Give what is to be done after the input that it is at."""
        done = self.done()
        return evolve(self.task, first=self.task.first + done * self.task.step, count=self.task.count - done)


def run_watched(tasks: Sequence[Task], tell: Callable[[Found], None]) -> Tally:
    """Do tasks in a process each; processes that hang or die are replaced, and what they were at is a finding.

    Raises:
        RuntimeError: one ends before its first input.
    """
    context = multiprocessing.get_context("spawn")
    total = Tally()
    running = [Watched(task, context) for task in tasks]
    try:
        while running:
            for watched in list(running):
                done = _listen(watched, total, tell)
                lost = "" if done else "hang" if watched.hangs() else "died" if not watched.process.is_alive() else ""
                if lost and not _listen(watched, total, tell):
                    watched.process.kill()
                    watched.process.join()
                    # What it has seen before is lost, but for how many those were.
                    total.inputs += watched.done()
                    mutant = make_mutator(watched.task.folders).make(watched.seed.value)
                    total.findings[lost] += 1
                    tell(Found(Finding(lost, f"exit code {watched.process.exitcode}", lost), mutant, mutant.data))
                    if watched.rest().count > 0:
                        running.append(Watched(watched.rest(), context))
                if lost or done:
                    watched.process.join()
                    running.remove(watched)
    finally:
        for watched in running:
            watched.process.kill()
            watched.process.join()
    return total


def _listen(watched: Watched, total: Tally, tell: Callable[[Found], None]) -> bool:
    """Take what a process has said; whether it was its last word."""
    try:
        while True:
            said = watched.queue.get(timeout=0.2)
            if isinstance(said, Tally):
                total.add(said)
                return True
            tell(said)
    except Empty:
        return False
