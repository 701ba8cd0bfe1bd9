"""The Session: all that the runtime knows beside its code. Nothing of it lies at the level of a module.

Who sees what:

* The settings, the print file, the dump and the profiler are the process's, as MindSpore's context is:
  what one thread sets, every thread sees, and so does one that is started later.
* What a thread is in the midst of is its own, and new with the thread (`Session.thread`): the network
  that it compiles, the cells around the operator that runs, the generator of random numbers, and the
  settings that MindSpore keeps per thread. A Print, an operator or a parameter in a thread that does
  not compile therefore never reaches a graph, nor does one in a task that goes on after the compiling.
* `Session.fresh()` is a run apart, for tests: this thread or asyncio task, and the tasks it starts, have
  a Session of their own until it ends. A thread started meanwhile has the process's, unless it is
  started by `contextvars.copy_context().run`: so Python has it for every context variable.
"""

from __future__ import annotations

import atexit
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar

from msdump.runtime.sink import Writers

if TYPE_CHECKING:
    from types import FunctionType

    import numpy as np

    from msdump.runtime.cell import Cell
    from msdump.runtime.dumping import Dumping, DumpRun
    from msdump.runtime.primitive import Primitive
    from msdump.runtime.profiler import Profiler
    from msdump.runtime.sink import PrintSink
    from msdump.runtime.tracing.compiled import Network
    from msdump.runtime.tracing.recorder import Recorder

CellCall = Callable[["Cell", tuple[Any, ...], dict[str, Any]], Any]
PrimitiveCall = Callable[["Primitive", tuple[Any, ...]], Any]


class Thread(threading.local):
    """What a thread is in the midst of.

    Attributes:
        settings: values of the keys of set_context that are per thread.
        recorder: the network being compiled by this thread, or None.
        scopes: of the cells around, innermost last.
        marked: for each of them, whether `set_dump` marked it or one around it.
        counts: how often each operator ran in the outermost cell.
        dump: the run that operators are dumped into.
        generator, seed: of random numbers, as `set_seed` made them.
    """

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.recorder: Recorder | None = None
        self.scopes: list[str] = []
        self.marked: list[bool] = []
        self.counts: dict[str, int] = {}
        self.dump: DumpRun | None = None
        self.generator: np.random.Generator | None = None
        self.seed: int | None = None


class Session:
    """What a process runs with.

    Attributes:
        settings: values of set_context that were set, the mode and the device among them.
        parallel: values of set_auto_parallel_context that were set.
        print_file: the file that Print writes to, or None for the screen; `print_asked` is the path
            that was asked for, `print_folder` the folder of the rank it is in.
        step: of training, which print files note beside each call; None is unknown.
        dumping: the dump that is on, or None.
        profiler: the profiler that is on, or None.
        on_cell: what a call of a cell goes to in place of running; None: it runs.
        on_primitive: what a call of a primitive goes to in place of running; None: it runs.
        networks: what was compiled, by network.
        rewritten: the users' functions as they are recorded.
        frozen_by: the networks that hold the auto-parallel context as it is, while they live.
        saved: by folder, the number of the next graph saved in it.
        warned: what was said once.
        thread: what is each thread's own.
        lock: held while settings change.

    Class attributes, which front doors set when they are imported, for every Session:
        writers: how what is made is written; None until `msdump.context` is imported.
        followers: called after each change of the settings.
    """

    writers: ClassVar[Writers | None] = None
    followers: ClassVar[list[Callable[[], None]]] = []

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.parallel: dict[str, Any] = {}
        self.print_file: PrintSink | None = None
        self.print_asked = self.print_folder = ""
        self.step: int | None = None
        self.dumping: Dumping | None = None
        self.profiler: Profiler | None = None
        self.on_cell: CellCall | None = None
        self.on_primitive: PrimitiveCall | None = None
        self.networks: weakref.WeakKeyDictionary[Cell, Network] = weakref.WeakKeyDictionary()
        self.rewritten: weakref.WeakKeyDictionary[FunctionType, FunctionType] = weakref.WeakKeyDictionary()
        self.frozen_by: weakref.WeakSet[Any] = weakref.WeakSet()
        self.saved: dict[str, itertools.count[int]] = {}
        self.warned: set[str] = set()
        self.thread = Thread()
        self.lock = threading.RLock()
        self._watch: PrimitiveCall | None = None
        self._recordings = 0

    @staticmethod
    @contextmanager
    def fresh() -> Iterator[Session]:
        """A Session as at the start of a program, until it ends; what it opened is closed then."""
        made = Session()
        token = _CURRENT.set(made)
        try:
            yield made
        finally:
            made.close()
            _CURRENT.reset(token)

    @contextmanager
    def recording(self, recorder: Recorder) -> Iterator[None]:
        """While it lasts, what this thread calls is recorded, and what others call is not."""
        outer, self.thread.recorder = self.thread.recorder, recorder
        self._record(1)
        try:
            yield
        finally:
            self._record(-1)
            self.thread.recorder = outer

    def watch(self, on_cell: CellCall | None, on_primitive: PrimitiveCall | None) -> None:
        """Have calls go somewhere; None, None: nowhere, which costs nothing."""
        with self.lock:
            self.on_cell, self._watch = on_cell, on_primitive
            self._record(0)

    def _record(self, more: int) -> None:
        with self.lock:
            self._recordings += more
            self.on_primitive = self._call if self._recordings else self._watch

    def _call(self, primitive: Primitive, arguments: tuple[Any, ...]) -> Any:
        if (recorder := self.thread.recorder) is not None:
            return recorder.record(primitive, arguments)
        return primitive.run(arguments) if self._watch is None else self._watch(primitive, arguments)

    def changed(self) -> None:
        """Settings have changed: what follows from them is put in place."""
        for follow in self.followers:
            follow()

    def close(self) -> None:
        """End the profile, the dump and the print file, and write what is pending."""
        profiler, self.profiler = self.profiler, None
        if profiler is not None:
            profiler.end()
        if self.dumping is not None:
            self.dumping.end()
        if self.print_file is not None:
            self.print_file.close()


_CURRENT: ContextVar[Session] = ContextVar("msdump session", default=Session())  # noqa: B039 - the process's own
current = _CURRENT.get
"""The Session of this thread or task."""

atexit.register(lambda: current().close())
