"""The same pieces on Dask: processes of this machine, or workers of a scheduler (`msdump[dask]`).

Workers read the files themselves; what travels is which piece is meant and what came out of it. A
worker that is lost takes nothing with it: its pieces are worked off by others.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from msdump.diff.dumps.measure import Measured, Piece, Rule, unreadable
from msdump.diff.dumps.units import Runner, Unit, run_unit
from msdump.errors import MsdumpError

_RETRIES = 5
_PATIENCE = 60.0
"""Seconds without any worker that could go on, before a comparison is given up."""
_POLL = 2.0


_APART = "no host of the cluster sees both {a} and {b}"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A unit, and the hosts that can read it; None: any."""

    unit: Unit
    hosts: list[str] | None


class Cluster:
    """A Dask client, seen as something that works off units.

    Attributes:
        client: the distributed.Client.
        hosts: which hosts hold a file, by path; a path that is not there may be read by any.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.hosts: Mapping[str, frozenset[str]] = {}

    def workers(self) -> dict[str, str]:
        """Address of each worker → its host."""
        # A negative count asks for all of them where a limit is the default.
        try:
            info = self.client.scheduler_info(n_workers=-1)
        except TypeError:
            info = self.client.scheduler_info()
        return {address: str(told.get("host", "")) for address, told in info.get("workers", {}).items()}

    def on_each_host(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What a function gives on one worker of each host, by host."""
        chosen: dict[str, str] = {}
        for address, host in self.workers().items():
            chosen.setdefault(host, address)
        try:
            found = self.client.run(function, *args, workers=list(chosen.values()))
        except Exception as error:  # whatever the worker raised, such as that it has no msdump
            raise MsdumpError(f"a worker of the cluster failed: {str(error) or type(error).__name__}") from None
        return {host: found[address] for host, address in chosen.items()}

    def runner(self) -> Runner:
        """A Runner whose units are worked off by the cluster."""
        return self._run

    def _reach(self, piece: Piece) -> frozenset[str] | None:
        """The hosts that can read both files of a piece; None: any."""
        left, right = self.hosts.get(piece.a.path), self.hosts.get(piece.b.path)
        if left is None or right is None:
            return right if left is None else left
        return left & right

    def _placed(self, units: Iterable[Unit], rule: Rule) -> Iterator[_Placed | list[Measured]]:
        """Units whose pieces can be read by the same hosts; what no host can read is measured at once."""
        for unit in units:
            by_reach: dict[frozenset[str] | None, list[Piece]] = {}
            for piece in unit.pieces:
                by_reach.setdefault(self._reach(piece), []).append(piece)
            for reach, pieces in by_reach.items():
                if reach is None or reach:
                    yield _Placed(Unit(tuple(pieces), unit.demand), None if reach is None else sorted(reach))
                else:
                    yield [Measured(p.index, unreadable(_APART.format(a=p.a.path, b=p.b.path))) for p in pieces]

    def _submit(self, placed: _Placed, rule: Rule) -> Any:
        return self.client.submit(run_unit, placed.unit, rule, pure=False, retries=_RETRIES, workers=placed.hosts)

    def _run(self, units: Iterable[Unit], rule: Rule) -> Iterator[list[Measured]]:
        wait: Any = import_module("distributed").wait
        waiting = iter(self._placed(units, rule))
        following = next(waiting, None)
        running: dict[Any, tuple[_Placed, int]] = {}
        last = time.monotonic()
        while following is not None or running:
            room = 4 * max(1, len(self.workers())) if following is not None else 0
            while following is not None and len(running) < room:
                if isinstance(following, _Placed):
                    running[self._submit(following, rule)] = (following, 0)
                else:
                    yield following
                following = next(waiting, None)
            if not running:
                continue
            try:
                with self.client.as_current():
                    done = wait(list(running), timeout=_POLL, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                done = set()
            if not done:
                if self.workers():
                    last = max(last, time.monotonic() - _PATIENCE / 2) if self._stuck(running) else time.monotonic()
                if time.monotonic() - last > _PATIENCE:
                    raise MsdumpError(
                        "no worker of the cluster can go on", hint="the pieces done so far are kept: --resume"
                    )
                continue
            last = time.monotonic()
            for future in done:
                placed, tries = running.pop(future)
                if future.status == "finished":
                    yield future.result()
                elif tries < _RETRIES:
                    running[self._submit(placed, rule)] = (placed, tries + 1)
                else:
                    why = f"the cluster failed: {future.exception()}"
                    yield [Measured(p.index, unreadable(why)) for p in placed.unit.pieces]

    def _stuck(self, running: Mapping[Any, tuple[_Placed, int]]) -> bool:
        """Whether no host that is there can read what is still to do."""
        present = set(self.workers().values())
        return all(placed.hosts is not None and not present & set(placed.hosts) for placed, _ in running.values())


@contextmanager
def open_cluster(workers: int | None, scheduler: str | None) -> Iterator[Cluster]:
    """A cluster: `workers` processes on this machine, or the one of a scheduler at "HOST:PORT".

    Raises:
        MsdumpError: Dask is not installed, or the scheduler does not answer.
    """
    try:
        dask: Any = import_module("dask")
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MsdumpError("Dask is not installed", hint="install it with: pip install 'msdump[dask]'") from None
    if scheduler is not None:
        address = scheduler if "://" in scheduler else f"tcp://{scheduler}"
        try:
            # A client that was begun for a wrong address ends with a noise of its own.
            import_module("distributed.comm").resolve_address(address)
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or error
            raise MsdumpError(f"{scheduler} is no scheduler: {said}", hint="give HOST:PORT") from None
        try:
            client = distributed.Client(address, timeout=15, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise MsdumpError(f"the scheduler at {scheduler} does not answer: {str(error).strip()}") from None
        with client:
            yield Cluster(client)
        return
    # A lost worker costs its pieces one try each, not the comparison.
    with dask.config.set({"distributed.scheduler.allowed-failures": 100, "distributed.comm.timeouts.connect": "5s"}):
        with _interrupts_kept_from_what_starts():
            started = distributed.LocalCluster(
                n_workers=workers or 1, threads_per_worker=1, dashboard_address=None, silence_logs=50
            )
        with started as local, distributed.Client(local, set_as_default=False) as client:
            yield Cluster(client)


@contextmanager
def _interrupts_kept_from_what_starts() -> Iterator[None]:
    """Threads and processes that start meanwhile, and what those start later, never see Ctrl-C: it is for
    who waits for the comparison, and one that comes meanwhile is handled afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Its first start, left to itself, would let interrupts in again.
    import_module("multiprocessing.resource_tracker").ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
