"""Units worked off by this process and by others beside it, on one machine.

An operation of numpy on a block that the cache holds lasts microseconds, and between two of them a
thread needs the interpreter's lock: two threads spend their time handing it over. So the others are
processes. They are plain ones that talk through pipes: nothing is asked of the program that compares,
and they start while it works. One that is lost takes nothing with it: its unit is worked off here.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO

from msdump.diff.dumps.measure import Measured, Rule
from msdump.diff.dumps.units import MEMORY, Runner, Unit, run_unit

_START_AFTER = 0.02
"""Seconds that listing and the first units must have taken for others to be started: a process of Python
takes longer to begin than a small comparison to end."""

# Ctrl-C is for who waits for the comparison, from the first moment on: who started this ends it.
_CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = {path!r}
from msdump.diff.dumps.processes import serve
serve()
"""


class _Work:
    """Units that are still to do, and the bytes that those in work hold."""

    def __init__(self, units: Iterable[Unit], memory: int) -> None:
        self._units = iter(units)
        self._next: Unit | None = None
        self._returned: list[Unit] = []
        self._memory = memory
        self._held = 0
        self._running = 0
        self._changed = threading.Condition()
        self.closed = False

    def take(self) -> Unit | None:
        """The next unit, when there is room for it; None when nothing is left to begin."""
        with self._changed:
            while not self.closed:
                if self._next is None:
                    self._next = self._returned.pop() if self._returned else next(self._units, None)
                unit = self._next
                if unit is None:
                    return None
                if not self._running or self._held + unit.demand <= self._memory:
                    self._next = None
                    self._running += 1
                    self._held += unit.demand
                    return unit
                self._changed.wait()
            return None

    def done(self, unit: Unit, *, again: bool = False) -> None:
        """A unit has been worked off, or (`again`) has to be once more."""
        with self._changed:
            self._running -= 1
            self._held -= unit.demand
            if again:
                self._returned.append(unit)
            self._changed.notify_all()

    def close(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


_AHEAD = 2
"""Units that a process has at a time: the next one is there before it asks, for who would send it waits
for the interpreter's lock."""


class _Other:
    """A process that works off units, and the threads that talk to it."""

    def __init__(self, work: _Work, rule: Rule, results: queue.SimpleQueue[list[Measured] | None]) -> None:
        self._work = work
        self._rule = rule
        self._results = results
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: deque[Unit] = deque()
        self._room = threading.Semaphore(_AHEAD)
        self._ended = False
        self._thread = threading.Thread(target=self._talk, name="msdump", daemon=True)
        self._thread.start()

    def _talk(self) -> None:
        sender: threading.Thread | None = None
        try:
            self._process = process = subprocess.Popen(
                [sys.executable, "-c", _CODE.format(path=sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert process.stdin is not None
            assert process.stdout is not None
            for pipe in (process.stdin, process.stdout):
                _widen(pipe)
            with process.stdout as back:
                pickle.dump(self._rule, process.stdin, pickle.HIGHEST_PROTOCOL)
                process.stdin.flush()
                pickle.load(back)  # it is there
                sender = threading.Thread(target=self._send, args=(process.stdin,), name="msdump", daemon=True)
                sender.start()
                while True:
                    found = pickle.load(back)
                    self._work.done(self._sent.popleft())
                    self._room.release()
                    self._results.put(found)
        except (OSError, EOFError, pickle.UnpicklingError):
            pass  # it has ended since nothing was left, could not be started, or was lost
        finally:
            self._ended = True
            self._room.release()
            if sender is not None:
                sender.join()
            for unit in self._sent:
                self._work.done(unit, again=True)
            self._results.put(None)

    def _send(self, to: IO[bytes]) -> None:
        # Closing it tells the process that nothing more comes.
        with suppress(OSError), to:
            while self._room.acquire() and not self._ended and (unit := self._work.take()) is not None:
                self._sent.append(unit)
                pickle.dump(unit, to, pickle.HIGHEST_PROTOCOL)
                to.flush()

    def stop(self) -> None:
        """End the process and wait for the threads."""
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()
        self._thread.join()
        if self._process is not None:
            self._process.wait()


def _widen(pipe: IO[bytes]) -> None:
    """Lets a whole unit, or what it gave, lie in a pipe: neither side waits for the other then."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
    except (ImportError, AttributeError, OSError):
        pass  # Linux alone has it


def side_by_side(jobs: int, memory: int = MEMORY) -> Runner:
    """A Runner that works off units here and in `jobs - 1` other processes, all holding at most about
    `memory` bytes."""
    began = time.monotonic()

    def run(units: Iterable[Unit], rule: Rule) -> Iterator[list[Measured]]:
        work = _Work(units, memory)
        results: queue.SimpleQueue[list[Measured] | None] = queue.SimpleQueue()
        others: list[_Other] = []
        ended = 0
        try:
            while True:
                while (unit := work.take()) is not None:
                    if not others and jobs > 1 and time.monotonic() - began > _START_AFTER:
                        others = [_Other(work, rule, results) for _ in range(jobs - 1)]
                    found = run_unit(unit, rule)
                    work.done(unit)
                    yield found
                    while not results.empty():
                        came = results.get()
                        ended += came is None
                        if came is not None:
                            yield came
                # Nothing is left to begin; what others have in work comes, or comes back undone.
                if ended == len(others):
                    return
                came = results.get()
                ended += came is None
                if came is not None:
                    yield came
        finally:
            work.close()
            for other in others:
                other.stop()

    return run


def serve() -> None:
    """Work off what comes by standard input until it ends: what the other processes do."""
    gc.disable()  # tensors come and go, and none holds another
    source = sys.stdin.buffer
    # Whoever started it may be gone at any moment, in the middle of a unit and while `back` is closed.
    with suppress(EOFError, BrokenPipeError, pickle.UnpicklingError), os.fdopen(os.dup(1), "wb") as back:
        # What anything prints must not come between the results.
        os.dup2(2, 1)
        rule = pickle.load(source)
        pickle.dump(True, back)
        back.flush()
        while True:
            found = run_unit(pickle.load(source), rule)
            pickle.dump(found, back, pickle.HIGHEST_PROTOCOL)
            back.flush()
