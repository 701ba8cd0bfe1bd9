"""Measuring a run on the host: iterations, operators, the feeding of data, memory.

What the host can measure is measured; hardware counters need the chip and are never invented.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from time import perf_counter_ns

from msdump.records import Profile, ProfileSpan
from msdump.runtime.context import say_once
from msdump.runtime.parallel_context import rank, rank_folder
from msdump.runtime.profiling_options import ProfilingOptions
from msdump.runtime.session import current


class Profiler:
    """Collects spans of one run, from several threads.

    `training_trace` keeps iterations, `task_trace` operators as well, `aicpu_trace` the time between
    iterations, in which data is fed. Operators are kept for the training trace too: its forward
    and backward parts are told by them.
    """

    def __init__(self, asked: ProfilingOptions) -> None:
        self.asked = asked
        # The folder is the one that was meant now, wherever the process goes later.
        self.options = replace(asked, result_path=os.path.abspath(asked.result_path))
        self._spans: list[ProfileSpan] = []
        self._lock = threading.Lock()
        self._iteration = -1
        self._running = False
        self._ended = 0

    def begin_iteration(self) -> int:
        """The outermost network is called; gives the time it begins, in nanoseconds."""
        now = perf_counter_ns()
        with self._lock:
            if self.options.aicpu_trace and self._ended:
                self._add(ProfileSpan("data", "data feeding", self._ended, now, thread=threading.get_ident()))
            self._iteration += 1
            self._running = True
        return now

    def end_iteration(self, name: str, began: int) -> None:
        """The outermost network has returned."""
        now = perf_counter_ns()
        span = ProfileSpan("iteration", name, began, now, "", self._iteration, resident_memory(), threading.get_ident())
        with self._lock:
            self._add(span)
            self._running = False
            self._ended = now

    def operator(self, name: str, scope: str, began: int, ended: int) -> None:
        """An operator has run."""
        iteration = self._iteration if self._running else -1
        span = ProfileSpan("operator", name, began, ended, scope, iteration, -1, threading.get_ident())
        with self._lock:
            self._add(span)

    def compiled(self, name: str, began: int) -> None:
        """A network has been compiled; `began` is when that started, in nanoseconds."""
        iteration = self._iteration if self._running else -1
        span = ProfileSpan("compile", name, began, perf_counter_ns(), "", iteration, -1, threading.get_ident())
        with self._lock:
            self._add(span)

    def profile(self) -> Profile:
        """What was measured so far, in the order things began."""
        with self._lock:
            spans = tuple(sorted(self._spans, key=lambda s: (s.begin_ns, -s.end_ns)))
        return Profile(rank()[0], spans, self.options.fp_point, self.options.bp_point)

    def tables(self) -> tuple[str, ...]:
        """Which tables the options ask for, beside the timeline."""
        step = ("step",) if self.options.training_trace else ()
        return (*step, "operator") if self.options.task_trace else step

    def end(self) -> None:
        """Write the files."""
        writers = current().writers
        if writers is None:
            return
        folder = os.path.join(self.options.result_path, rank_folder())
        os.makedirs(folder, exist_ok=True)
        profile = self.profile()
        _say_unknown_points(profile)
        writers.profile(profile, folder, self.tables())

    def _add(self, span: ProfileSpan) -> None:
        self._spans.append(span)


def resident_memory() -> int:
    """Bytes of this process in memory, or -1 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            pages = int(statm.read().split()[1])
    except (OSError, ValueError, IndexError):
        return -1
    return pages * os.sysconf("SC_PAGE_SIZE")


def start(options: ProfilingOptions) -> None:
    """Begin to profile; what an earlier profile measured and has not written is written first."""
    stop()
    current().profiler = Profiler(options)


def stop() -> None:
    """End profiling and write its files, if it was on."""
    profiler, current().profiler = current().profiler, None
    if profiler is not None:
        profiler.end()


def _say_unknown_points(profile: Profile) -> None:
    ran = {name for span in profile.spans if span.kind == "operator" for name in (span.name, span.scope)}
    for key, point, instead in (("fp_point", profile.fp_point, "begin"), ("bp_point", profile.bp_point, "end")):
        if point and point not in ran:
            what = f"'{key}' {point!r} is the name of no operator that ran; the {instead} of each iteration was taken"
            say_once(f"{key} {point}", f"profiling_options: {what}", stacklevel=5)
