"""The Session: what threads, tasks and nested compilations share, and what they never do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump import Parameter, Tensor, context, load, nn, ops, read_dump, read_graph
from msdump.graph import Graph
from msdump.runtime.session import Session, current
from msdump.runtime.tracing import flow
from msdump.runtime.tracing.compile import compile_cell
from msdump.runtime.tracing.recorder import Recorder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    context.set_context(mode=context.GRAPH_MODE)


def x() -> Tensor:
    return Tensor(np.array([1.0, 2.0], np.float32))


def plainly(work: Callable[[], None]) -> threading.Thread:
    return threading.Thread(target=work)


def with_the_context_of_the_compilation(work: Callable[[], None]) -> threading.Thread:
    return threading.Thread(target=copy_context().run, args=(work,))


STARTS = [plainly, with_the_context_of_the_compilation]


class Elsewhere:
    """Called in construct: runs `work` in another thread, to its end, while the network is compiled."""

    def __init__(self, start: Callable[[Callable[[], None]], threading.Thread], work: Callable[[], Any]) -> None:
        self.start, self.work, self.errors = start, work, list[BaseException]()

    def __call__(self) -> None:
        thread = self.start(self._run)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()

    def _run(self) -> None:
        try:
            self.work()
        except BaseException as error:
            self.errors.append(error)


class Net(nn.Cell):
    """x + 1, x · 2, with something called between."""

    def __init__(self, between: Callable[[], Any]) -> None:
        super().__init__()
        self.between = between
        self.weight = Parameter(x(), "weight")
        self.print = ops.Print()

    def construct(self, x: Tensor) -> Any:
        y = x + self.weight
        self.print("in the graph", y)
        self.between()
        return y * 2


def operators(graph: Graph) -> list[str]:
    return sorted(node.op for _, node in graph.iter_nodes())


OWN = ["Add", "Depend", "Load", "Mul", "Print", "Return", "UpdateState"]


@pytest.mark.parametrize("start", STARTS)
def test_what_another_thread_does_never_reaches_the_graph(start: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []
    held = Parameter(x(), "held")

    def work() -> None:
        ops.Print()("from another thread")
        seen.append((ops.sub(x(), 1) * 3).asnumpy().tolist())
        seen.append(held.asnumpy().tolist())
        held.set_data(Tensor(np.array([7.0, 8.0], np.float32)))
        seen.append(
            nn.Dense(2, 1, weight_init="ones", has_bias=False)(Tensor(np.ones((1, 2), np.float32))).asnumpy().tolist()
        )

    elsewhere = Elsewhere(start, work)
    compiled = compile_cell(Net(elsewhere), {"x": x()})
    assert elsewhere.errors == []
    assert operators(compiled.graph) == OWN
    assert capsys.readouterr().out == "from another thread\n"  # at once; the graph prints when it runs
    assert seen == [[0.0, 3.0], [1.0, 2.0], [[2.0]]]
    assert held.asnumpy().tolist() == [7.0, 8.0]
    assert compiled.run([x()]).asnumpy().tolist() == [4.0, 8.0]
    assert capsys.readouterr().out.startswith("in the graph\n")


def test_a_task_that_goes_on_after_the_compilation_reaches_no_graph(capsys: pytest.CaptureFixture[str]) -> None:
    async def later() -> list[float]:
        ops.Print()("from a task")
        return list((x() + 1).tolist())

    async def main() -> tuple[Graph, list[float]]:
        tasks: list[asyncio.Task[list[float]]] = []
        compiled = compile_cell(Net(lambda: tasks.append(asyncio.get_running_loop().create_task(later()))), {"x": x()})
        return compiled.graph, await tasks[0]

    graph, found = asyncio.run(main())
    assert (operators(graph), found) == (OWN, [2.0, 3.0])
    assert capsys.readouterr().out == "from a task\n"


def test_a_task_beside_a_compilation_in_a_worker_thread_reaches_no_graph(capsys: pytest.CaptureFixture[str]) -> None:
    halfway, printed = threading.Event(), threading.Event()

    def between() -> None:
        halfway.set()
        assert printed.wait(20)

    class Wait:
        def __call__(self) -> None:
            between()

    async def main() -> Graph:
        compiling = asyncio.create_task(asyncio.to_thread(compile_cell, Net(Wait()), {"x": x()}))
        assert await asyncio.to_thread(halfway.wait, 20)
        ops.Print()("meanwhile")
        printed.set()
        return (await compiling).graph

    assert operators(asyncio.run(main())) == OWN
    assert capsys.readouterr().out == "meanwhile\n"


@pytest.mark.parametrize("start", STARTS)
def test_two_networks_are_compiled_at_once_each_with_its_own_operators(start: Any) -> None:
    inner: list[Any] = []
    elsewhere = Elsewhere(start, lambda: inner.append(compile_cell(Relu(), {"x": x()})))
    outer = compile_cell(Net(elsewhere), {"x": x()})
    assert elsewhere.errors == []
    assert operators(outer.graph) == OWN
    assert operators(inner[0].graph) == ["ReLU", "Return"]


class Relu(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ops.relu(x)


def test_a_network_called_by_another_thread_while_one_is_compiled_does_not_wait_for_it() -> None:
    found: list[Any] = []
    elsewhere = Elsewhere(with_the_context_of_the_compilation, lambda: found.append(Relu()(x()).asnumpy().tolist()))
    assert Net(elsewhere)(x()).asnumpy().tolist() == [4.0, 8.0]
    assert (elsewhere.errors, found) == ([], [[1.0, 2.0]])


def test_a_recording_inside_a_recording_takes_what_is_called_in_it_and_gives_back() -> None:
    outer, inner = Recorder("outer", flow), Recorder("inner", flow)
    with outer.recording():
        ops.Print()("outer")
        with inner.recording():
            ops.Print()("inner")
            ops.Print()("inner")
        ops.Print()("outer again")
    assert current().thread.recorder is None
    found = [[node.op for node in recorder.entry.nodes].count("Print") for recorder in (outer, inner)]
    assert found == [2, 2]


def test_a_recording_that_fails_leaves_nothing_behind(session: Session) -> None:
    with pytest.raises(KeyError), Recorder("fails", flow).recording():
        raise KeyError
    assert (session.thread.recorder, session.on_primitive) == (None, None)
    assert ops.add(1, 2).asnumpy() == 3


def test_threads_that_call_one_network_compile_it_once_and_get_their_own_results(session: Session) -> None:
    net, found = Net(lambda: None), dict[int, Any]()

    def work(i: int) -> None:
        found[i] = net(Tensor(np.full(2, i, np.float32))).asnumpy().tolist()

    threads = [threading.Thread(target=copy_context().run, args=(work, i)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [(i + 1) * 2.0, (i + 2) * 2.0] for i in range(8)}
    assert len(session.networks[net].compiled) == 1


def test_a_dump_has_what_another_thread_runs_beside_the_graph(tmp_path: Path) -> None:
    context.set_context(enable_dump=True, save_dump_path=str(tmp_path / "dump"))
    elsewhere = Elsewhere(with_the_context_of_the_compilation, lambda: ops.exp(x()))
    Net(elsewhere)(x())
    context.set_context(enable_dump=False)
    found = {(r.graph, r.op_type) for r in read_dump(tmp_path / "dump")}
    graphs = {op: {g for g, o in found if o == op} for op in ("Add", "Mul", "Exp")}
    assert all(len(ids) == 1 for ids in graphs.values())
    assert graphs["Add"] == graphs["Mul"] != graphs["Exp"]


def test_saved_graphs_of_two_threads_are_whole_and_numbered_apart(tmp_path: Path) -> None:
    context.set_context(save_graphs=1, save_graphs_path="g")
    elsewhere = Elsewhere(with_the_context_of_the_compilation, lambda: Relu()(x()))
    Net(elsewhere)(x())
    saved = {path.name: operators(read_graph(path)) for path in (tmp_path / "g").glob("*_validate_*.ir")}
    assert sorted(saved.values()) == [OWN, ["ReLU", "Return"]]
    numbers = [path.stem.rsplit("_", 1)[1] for path in (tmp_path / "g").glob("*.ir")]
    assert sorted(numbers) == [f"{i:04d}" for i in range(len(numbers))]


def test_a_fresh_session_is_of_its_task_and_ends_with_it(session: Session, tmp_path: Path) -> None:
    async def apart(name: str) -> tuple[int, str]:
        with Session.fresh() as own:
            assert current() is own
            context.set_context(print_file_path=str(tmp_path / name))
            await asyncio.sleep(0)
            ops.Print()(name)
            return context.get_context("mode"), context.get_context("print_file_path")

    async def main() -> list[tuple[int, str]]:
        return list(await asyncio.gather(apart("a.pb"), apart("b.pb")))

    pynative = context.PYNATIVE_MODE
    assert asyncio.run(main()) == [(pynative, str(tmp_path / "a.pb")), (pynative, str(tmp_path / "b.pb"))]
    assert current() is session
    assert (context.get_context("mode"), context.get_context("print_file_path")) == (context.GRAPH_MODE, "")
    assert [next(iter(load(tmp_path / name))).values for name in ("a.pb", "b.pb")] == [("a.pb",), ("b.pb",)]


PROGRAM = """
import threading
from msdump import context, ops
context.set_context(mode=context.GRAPH_MODE, reserve_class_name_in_scope=False, print_file_path="print.pb")
def work():
    print(context.get_context("mode"), context.get_context("reserve_class_name_in_scope"))
    ops.Print()("from a thread")
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def test_a_thread_sees_what_the_process_set_but_for_what_is_per_thread(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "0 True\n"
    assert [record.values for record in load(tmp_path / "print.pb")] == [("from a thread",)]
