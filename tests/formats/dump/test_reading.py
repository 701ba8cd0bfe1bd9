"""Dumps as a whole: layouts, names, statistics, overflow, damage."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.dumps.comparing import diff_dumps
from msdump.errors import ReadError
from msdump.formats.dump.bin import bin_bytes, write_bin
from msdump.formats.dump.checking import check
from msdump.formats.dump.layout import Place, Selection, place_of, walk
from msdump.formats.dump.npy import npy_bytes
from msdump.formats.dump.overflow import read_overflow
from msdump.formats.dump.reading import Dump
from msdump.formats.dump.resolve import resolve_names
from msdump.formats.dump.sidecars import read_execution_order, read_mapping, read_metadata
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP, order, put

BF16 = FIXTURES / "dump/2.10.0/bf16_tensor/out"
WHILE = FIXTURES / "dump/2.10.0/while_tensor/out"
ONE = np.array([1, 2], np.float32)

PLACES = [
    ("rank_3/Net/2/7", Place(3, "Net", "2", 7, rank_dir=3, own_rank=True, own_iteration=True)),
    ("rank_3/v.1/2/7", Place(3, "v.1", "2", 7, rank_dir=3, own_rank=True, own_iteration=True)),
    ("rank_0/Net/2/constants", Place(0, "Net", "2", constants=True, rank_dir=3, own_rank=True)),
    ("0/20240102030405/5/ge_default/11/4", Place(5, "ge_default", "11", 4, own_rank=True, own_iteration=True)),
    ("3/20240102030405/5/ge_default/11/0", Place(5, "ge_default", "11", 3, own_rank=True, own_iteration=True)),
    ("rank_2/20240102030405/step_6", Place(2, "", "", 6, rank_dir=3, own_rank=True, own_iteration=True)),
    ("some.where", Place()),
]


@pytest.mark.parametrize(("below", "expected"), PLACES, ids=[p[0] for p in PLACES])
def test_directories_tell_the_place(below: str, expected: Place) -> None:
    assert place_of(("data", "run.1", *below.split("/")), 2) == expected


def test_what_stands_above_is_the_users_choice() -> None:
    place = place_of(("data", "rank_1", "Net", "0", "9"), 5)
    assert (place.rank, place.iteration, place.own_rank, place.own_iteration) == (1, 9, False, False)


@pytest.mark.parametrize(
    "folder",
    ["rank_4/Net/2/7", "7/20240102030405/4/ge_default/2/0", "rank_4/20240102030405/step_7/20240102030406/4/m/2/0"],
)
def test_records_of_every_layout(tmp_path: Path, folder: str) -> None:
    place = tmp_path / "dump.d" / folder
    place.mkdir(parents=True)
    write_bin(place / f"Add.add.3.1.{STAMP}", [ONE], [ONE * 2])
    (place / f"Mul.mul.3.1.{STAMP}.output.0.ND.Float32.npy").write_bytes(npy_bytes(ONE * 3))
    found = sorted(Dump(str(tmp_path)), key=lambda r: (r.op_type, r.io))
    assert [(r.op_type, r.op_name, r.io, r.slot, r.iteration, r.rank) for r in found] == [
        ("Add", "add", "input", 0, 7, 4),
        ("Add", "add", "output", 0, 7, 4),
        ("Mul", "mul", "output", 0, 7, 4),
    ]
    assert all(r.tensor is not None for r in found)
    assert [r.tensor.numpy().tolist() for r in found if r.tensor] == [[1, 2], [2, 4], [3, 6]]


def test_a_real_dump() -> None:
    dump = Dump(str(BF16))
    records = {(r.op_name, r.io, r.slot): r for r in dump}
    assert len(records) == 13
    add = records["Default_Add-op0", "output", 0]
    assert (add.scope_name, add.position, add.net, add.graph, add.iteration) == ("Default/Add-op0", 4, "Net", "0", 0)
    assert add.tensor is not None
    assert add.tensor.numpy().tolist() == [2.625, 1.38671875]
    assert dump.metadata()["config"] == {"device_target": "CPU", "ms_version": "2.10.0"}
    assert not dump.problems


def test_operators_numbered_anew_are_resolved_by_their_order() -> None:
    names = {r.op_name: r.scope_name for r in Dump(str(BF16)) if r.op_type == "Cast"}
    assert names == {f"Default_Cast-op{i}": f"Default/Cast-op{i + 4}" for i in range(4)}


def test_what_cannot_be_told_apart_is_said_to_be_ambiguous() -> None:
    dump = Dump(str(WHILE))
    names = {r.op_name: r.scope_name for r in dump if r.graph == "4" and r.op_type == "Add"}
    assert set(names.values()) == {""}
    assert any("Default_Add-op2 is ambiguous: it may be Default/Add-op1" in str(n) for n in dump.notes)


ORDER = ["Default/a/Conv-op0", "Default/a_b/Relu-op0", "Default/a/b/Relu-op0", "Default/Add-op3", "Default/Add-op5"]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({"Default_a_Conv-op0": 1}, {"Default_a_Conv-op0": "Default/a/Conv-op0"}),
        ({"Conv-op0": 1}, {"Conv-op0": "Default/a/Conv-op0"}),  # before 2.1 without the scope
        ({"Default_a_b_Relu-op0": 1}, {"Default_a_b_Relu-op0": ""}),  # the file name cannot be undone
        ({"Default_Add-op0": 1, "Default_Add-op1": 2}, {"Default_Add-op0": ORDER[3], "Default_Add-op1": ORDER[4]}),
        ({"Default_Add-op1": 1, "Default_Add-op0": 2}, {"Default_Add-op0": "", "Default_Add-op1": ""}),
        ({"Default_Add-op3": 2, "Default_Add-op5": 1}, {"Default_Add-op3": "", "Default_Add-op5": ""}),
        ({"Add-op3": 2, "Add-op5": 1}, {"Add-op3": ORDER[3], "Add-op5": ORDER[4]}),
        ({"Default_Mul-op0": 1}, {"Default_Mul-op0": ""}),
    ],
)
def test_names_resolve(seen: dict[str, int], expected: dict[str, str]) -> None:
    found = resolve_names(ORDER, seen)
    assert {name: found[name].full_name for name in seen} == expected


GRAPH = ["Default/Add-op5", "Default/Load-op1", "Default/Add-op3", "Default/a/Conv-op0"]


@pytest.mark.parametrize(
    ("seen", "graph", "expected"),
    [
        # Numbers count in the order of the graph, where time and execution order do not agree with them.
        (
            {"Default_Add-op1": 1, "Default_Add-op0": 2},
            GRAPH,
            {"Default_Add-op0": ORDER[4], "Default_Add-op1": ORDER[3]},
        ),
        (
            {"Default_Add-op0": 1, "Default_Add-op1": 2},
            GRAPH,
            {"Default_Add-op0": ORDER[4], "Default_Add-op1": ORDER[3]},
        ),
        (
            {"Default_Add-op3": 2, "Default_Add-op5": 1},
            GRAPH,
            {"Default_Add-op3": ORDER[4], "Default_Add-op5": ORDER[3]},
        ),
        # Numbers and times that agree with the execution order need no graph.
        (
            {"Default_Add-op3": 1, "Default_Add-op5": 2},
            GRAPH,
            {"Default_Add-op3": ORDER[3], "Default_Add-op5": ORDER[4]},
        ),
        # A graph of other operators says nothing.
        ({"Default_Add-op1": 1, "Default_Add-op0": 2}, GRAPH[:2], {"Default_Add-op0": "", "Default_Add-op1": ""}),
        (
            {"Default_Add-op1": 1, "Default_Add-op0": 2},
            [*GRAPH, "Default/Add-op9"],
            {"Default_Add-op0": "", "Default_Add-op1": ""},
        ),
        ({"Default_Add-op7": 1}, GRAPH, {"Default_Add-op7": ""}),
    ],
)
def test_names_resolve_by_the_graph(seen: dict[str, int], graph: list[str], expected: dict[str, str]) -> None:
    found = resolve_names(ORDER, seen, lambda: graph)
    assert {name: found[name].full_name for name in seen} == expected
    assert all(not f.full_name or ORDER[f.position] == f.full_name for f in found.values())


def test_selections(tmp_path: Path) -> None:
    for rank in (0, 1):
        for iteration in (0, 1, 2):
            put(tmp_path, "Add", ONE, rank=rank, iteration=iteration)
            put(tmp_path, "Mul", ONE, rank=rank, iteration=iteration, name="Default_net_Mul-op1")

    def count(**chosen: Any) -> int:
        return len(list(Dump(str(tmp_path), Selection(**chosen))))

    assert count() == 12
    assert count(ranks=frozenset({1})) == 6
    assert count(iterations=frozenset({0, 2})) == 8
    assert count(ops=("Mul",)) == count(ops=("Default/net/Mul-op1",)) == count(ops=("*Mul*",)) == 6
    assert count(include=("Add.*",)) == 6
    assert count(exclude=("*op0*",)) == 6
    assert count(ops=("Sub",)) == 0


def test_a_directory_inside_a_dump(tmp_path: Path) -> None:
    put(tmp_path, "Add", ONE, rank=2, iteration=5)
    order(tmp_path, ["Default/Add-op0"], rank=2)
    found = list(Dump(str(tmp_path / "rank_2/Net/0/5")))
    assert [(r.rank, r.iteration, r.graph, r.scope_name) for r in found] == [(2, 5, "0", "Default/Add-op0")]
    alone = list(Dump(found[0].path))
    assert [(r.rank, r.iteration, r.op_name) for r in alone] == [(2, 5, "Default_Add-op0")]


def test_names_too_long_are_mapped(tmp_path: Path) -> None:
    long = f"Add.{'x' * 300}.0.0.{STAMP}.output.0.DefaultFormat.Float32.npy"
    (tmp_path / "12345678901234567890.npy").write_bytes(npy_bytes(ONE))
    (tmp_path / "99.npy").write_bytes(npy_bytes(ONE))
    (tmp_path / "mapping.csv").write_text(f"hash,name\n12345678901234567890.npy,{long}\n")
    assert read_mapping(str(tmp_path / "mapping.csv")) == {"12345678901234567890.npy": long}
    found = {r.op_type: r for r in Dump(str(tmp_path))}
    assert found["Add"].op_name == "x" * 300
    assert found[""].op_name == "99"  # without a row it keeps its number
    only = list(Dump(str(tmp_path / "12345678901234567890.npy")))
    assert only[0].op_name == "x" * 300


HEAD = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value\n"


def test_statistics_beside_tensors_and_alone(tmp_path: Path) -> None:
    put(tmp_path, "Add", ONE)
    rows = "Add,Default_Add-op0,0,0,17,output,0,8,float32,(2),2\nMul,m,0,0,18,output,1,8,float32,(2),null\n"
    (tmp_path / "rank_0/Net/0/0/statistic.csv").write_text(HEAD + rows)
    found = sorted(Dump(str(tmp_path)), key=lambda r: r.op_type)
    assert [(r.op_type, r.tensor is not None, (r.statistics or {})["max"]) for r in found] == [
        ("Add", True, 2.0),
        ("Mul", False, None),
    ]
    alone = list(Dump(str(tmp_path / "rank_0/Net/0/0/statistic.csv")))
    assert [r.op_type for r in alone] == ["Add", "Mul"]


def test_tensor_dumps_of_the_operator(tmp_path: Path) -> None:
    for name in ("loss_float32_1.npy", "loss_float32_0.npy", "q_in_bfloat16_3.npy", "7_old.npy"):
        (tmp_path / name).write_bytes(npy_bytes(ONE))
    found = sorted((r.op_name, r.io, r.task) for r in Dump(str(tmp_path)))
    assert found == [("loss", "output", 0), ("loss", "output", 1), ("old", "output", 7), ("q", "input", 3)]


def test_synchronous_bin(tmp_path: Path) -> None:
    path = tmp_path / "Default--net--Add-op1_output_0_shape_2_2_Float32_DefaultFormat.bin"
    path.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (tmp_path / "x_input_0_shape_9_Float32_NCHW.bin").write_bytes(bytes(8))
    dump = Dump(str(tmp_path))
    found = list(dump)
    assert [(r.op_type, r.scope_name) for r in found] == [("Add", "Default/net/Add-op1")]
    assert found[0].tensor is not None
    assert found[0].tensor.numpy().tolist() == [[0, 1], [2, 3]]
    assert "needs more than 8 bytes" in str(dump.problems[0])


def test_raw_payloads(tmp_path: Path) -> None:
    (tmp_path / f"Add.add.0.0.{STAMP}.output.0.ND.bfloat16").write_bytes(b"\x80\x3f\x00\x40")
    found = list(Dump(str(tmp_path)))
    assert found[0].tensor is not None
    assert found[0].tensor.numpy().astype(float).tolist() == [1, 2]


def test_what_cannot_be_read_is_told_and_the_rest_given(tmp_path: Path) -> None:
    folder = tmp_path / "rank_0/Net/0/0"
    put(tmp_path, "Add", ONE)
    (folder / f"Conv.conv.0.0.{STAMP}").write_bytes(bin_bytes([ONE], [ONE])[:-3])
    (folder / f"Bad.bad.0.0.{STAMP}").write_bytes(b"\xff" * 20)
    (folder / "statistic.csv").write_text("nonsense\n")
    dump = Dump(str(tmp_path))
    assert sorted((r.op_type, r.io) for r in dump) == [("Add", "output"), ("Conv", "input")]
    assert len(dump.problems) == 3
    assert all(p.where is not None for p in dump.problems)
    with pytest.raises(ReadError, match="no such file"):
        list(Dump(str(tmp_path / "absent")))


def test_links_do_not_lead_in_circles(tmp_path: Path) -> None:
    put(tmp_path, "Add", ONE)
    os.symlink(tmp_path, tmp_path / "rank_0/Net/again")
    assert len(list(walk(str(tmp_path)))) == 1


def test_many_files_are_listed_and_not_held(tmp_path: Path) -> None:
    folder = tmp_path / "rank_0/Net/0/0"
    folder.mkdir(parents=True)
    for i in range(5000):
        (folder / f"Add.Default_Add-op{i}.0.0.{STAMP + i}.output.0.DefaultFormat.Float32.npy").touch()
    tracemalloc.start()
    count = sum(1 for _ in walk(str(tmp_path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 5000
    assert peak < 200_000  # some 1.5 MB, were they held


def test_execution_order_and_metadata(tmp_path: Path) -> None:
    order(tmp_path, ["Default/Add-op0", "Default/Mul-op0"])
    folder = tmp_path / "rank_0/execution_order"
    (folder / "ms_global_execution_order_graph_0.csv").write_text("0\n2\n5\n")
    (folder / "ms_execution_order_graph_1.csv").write_text("Default/x\nDefault/y\n")
    found = read_execution_order(str(folder))
    assert found.graphs["0"] == ["Default/Add-op0", "Default/Mul-op0"]
    assert found.iterations == {"0": [0, 2, 5]}
    assert "the first line is not" in str(found.notes[0])
    assert found.names("7") == ["Default/Add-op0", "Default/Mul-op0", "Default/x", "Default/y"]
    meta = tmp_path / "meta"
    meta.mkdir()
    (meta / "config.json").write_text('{"device_target":"GPU"}')
    (meta / "hccl.json").write_text("{")
    content, notes = read_metadata(str(meta))
    assert content == {"config": {"device_target": "GPU"}}
    assert "not JSON" in str(notes[0])


def overflow_payload() -> bytes:
    words = np.zeros(160, "<u8")
    words[32:38] = [514, 563, 57, 0, 0x1008005B0000, 0x100800297000]
    words[64], words[96] = 3, 4
    words[128:131] = [0x1008005AE000, 1, 32]
    return words.tobytes()


def test_overflow_files(tmp_path: Path) -> None:
    path = tmp_path / f"Opdebug.Node_OpDebug.1.5.{STAMP}"
    write_bin(path, [], [np.frombuffer(overflow_payload(), np.uint8)])
    told = read_overflow(str(path))
    assert told["AI Core"] == {
        "model_id": 514,
        "stream_id": 563,
        "task_id": 57,
        "task_type": 0,
        "pc_start": "0x1008005b0000",
        "para_base": "0x100800297000",
        "kernel_code": "0x1008005ae000",
        "block_idx": 1,
        "status": 32,
    }
    assert told["DHA Atomic Add"]["status"] == 3
    assert told["L2 Atomic Add"]["status"] == 4
    (tmp_path / f"Opdebug.Node_OpDebug.1.5.{STAMP}.output.0.json").write_text('{"AI Core": {"status": 7}}')
    dump = Dump(str(tmp_path))
    assert sorted(units["AI Core"]["status"] for _, units in dump.overflows()) == [7, 32]
    assert list(dump) == []
    path.write_bytes(path.read_bytes()[:200])
    (tmp_path / f"Opdebug.Node_OpDebug.1.6.{STAMP}.output.0.json").write_text("[]")
    assert len(list(dump.overflows())) == 1
    assert len(dump.problems) == 2


def test_every_real_dump_reads(corpus: Path) -> None:
    count = 0
    for root in sorted((corpus / "dump").glob("*/*/out")):
        dump = Dump(str(root))
        for record in dump:
            assert record.tensor is not None
            assert record.tensor.numpy().shape == record.tensor.shape
            count += 1
        assert not dump.problems
        assert not [f for f in check(dump) if not f.harmless]
    assert count == 671


@pytest.fixture(params=["memory", "file", "zip"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The dump BF16 at a URL: one with a host, one with none, one in a chain."""
    fsspec: Any = pytest.importorskip("fsspec")
    if request.param == "file":
        return f"file://{BF16}"
    if request.param == "zip":
        return f"zip://::{shutil.make_archive(str(tmp_path / 'dump'), 'zip', BF16)}"
    files = fsspec.filesystem("memory")
    for path in BF16.rglob("*"):
        if path.is_file():
            files.pipe(f"/here.d/{path.relative_to(BF16)}", path.read_bytes())
    return "memory://here.d"


def test_a_dump_at_a_url(url: str) -> None:
    dump = Dump(url)
    there = {(r.op_name, r.io, r.slot): r for r in dump}
    here = {(r.op_name, r.io, r.slot): r for r in Dump(str(BF16))}
    assert dump.problems == []
    assert there.keys() == here.keys()
    for key, record in there.items():
        mine = here[key]
        assert (record.scope_name, record.rank, record.iteration) == (mine.scope_name, mine.rank, mine.iteration)
        assert mine.scope_name or mine.op_type == "Parameter"
        assert record.tensor is not None
        assert mine.tensor is not None
        assert record.tensor.numpy().tobytes() == mine.tensor.numpy().tobytes()
    add = there["Default_Add-op0", "output", 0]
    (one,) = Dump(add.path)
    assert (one.scope_name, one.path) == ("Default/Add-op0", add.path)


def test_a_dump_at_a_url_is_compared_and_has_its_graph(url: str, tmp_path: Path) -> None:
    assert diff_dumps(url, BF16).same
    root = tmp_path / "edited"
    shutil.copytree(BF16, root)
    victim = next(root.rglob("Add.Default_Add-op0*output*"))
    victim.write_bytes(npy_bytes(np.array([9, 9], np.float32)))
    first = diff_dumps(url, root).first
    assert first is not None
    assert (first.tensor.scope, first.tensor.spot.source, first.inputs) == ("Default/Add-op0", "dtypes.py:34", "agree")
    assert [f.kind for f in check(Dump(url))] == []
