from __future__ import annotations

import json
from pathlib import Path

import pytest

from msdump.cli.graph.passes import stage_files
from msdump.diff.passes import (
    StageFile,
    diff_stages,
    find_in_stages,
    find_parting,
    in_write_order,
    stage_label,
    stage_number,
)
from msdump.errors import ParseError
from msdump.graph import Graph
from msdump.graph.find import Query
from msdump.io import read_graph
from msdump.render.graph_passes import sighting_lines, stage_lines, what_changed
from tests.conftest import FIXTURES
from tests.diff.made import chain

FOLDER = FIXTURES / "passes" / "1.1.1"


@pytest.mark.parametrize(
    ("name", "number", "label"),
    [
        ("0020_9_validate.ir", 20, "9_validate"),
        ("10_validate_0021.ir", 21, "10_validate"),
        ("opt_pass_2_clean_after_opta_0010.ir", 10, "opt_pass_2_clean_after_opta"),
        ("opt_a.r1.a_3.check_bprop_eliminate_0185.ir", 185, "opt_a.r1.a_3.check_bprop_eliminate"),
        ("05_parallel-infer-symbol_0010.ir", 10, "05_parallel-infer-symbol"),
        ("trace_code_graph_0012", 12, "trace_code_graph"),
        (
            "hwopt_comm_after_eliminate_nopnode_kernel_graph_0_0130",
            130,
            "hwopt_comm_after_eliminate_nopnode_kernel_graph_0",
        ),
        ("notes.ir", None, "notes"),
    ],
)
def test_numbers_and_labels(name: str, number: int | None, label: str) -> None:
    assert (stage_number(name), stage_label(name)) == (number, label)


def test_write_order() -> None:
    assert in_write_order(["b_0010.ir", "notes.ir", "a_0009.ir", "z_0100.ir"]) == [
        "a_0009.ir",
        "b_0010.ir",
        "z_0100.ir",
        "notes.ir",
    ]


def test_what_each_stage_changed() -> None:
    stages = list(diff_stages(stage_files(str(FOLDER))))
    assert [(stage_label(s.file), s.changed, s.graph) for s in stages] == [
        ("00_parse", False, "construct_wrapper"),
        ("04_abstract_specialize", True, "construct_wrapper"),
        ("05_inline", False, "construct_wrapper"),
        ("opt_pass_1_opt_a", True, "construct_wrapper"),
        ("opt_pass_2_clean_after_opta", False, "construct_wrapper"),
        ("10_validate", False, "construct_wrapper"),
        ("hwopt_common_before_graph_0", True, "kernel_graph"),
        ("hwopt_common_pm_0_convert_const_input_to_attr", True, "kernel_graph"),
        ("hwopt_common_after_graph_0", True, "kernel_graph"),
    ]
    assert stages[0].compared_with is None
    assert stages[3].compared_with == "05_inline_0005.ir"
    inlined = stages[3].to_json()["summary"]
    assert inlined["removed"] == {"Depend": 1, "Return": 23, "call": 16, "call_var": 7, "switch": 7}
    assert (inlined["added"], inlined["changed"]) == ({}, 0)
    assert stages[3].note == "23 subgraphs fewer"
    assert stages[6].note == "another graph: @kernel_graph"
    assert stages[6].to_json()["summary"]["added"] == {"MakeTuple": 1}
    assert stages[7].diff is not None
    (moved,) = stages[7].diff.roots
    assert moved.op == "ReduceMean"
    assert (moved.what["axis"], moved.what["input 1"]) == ((None, "(2, 3)"), ("(2, 3)", None))


def test_the_corpus_agrees(corpus: Path) -> None:
    truth = json.loads((corpus / "passes" / "1.1.1" / "passes.json").read_text(encoding="utf-8"))
    stages = {s.file: s for s in diff_stages(stage_files(str(corpus / "passes" / "1.1.1" / "graphs")))}
    assert list(stages) == truth["files_in_write_order"]
    assert {p["to"]: p["changed"] for p in truth["pairs"]} == {
        name: stage.changed for name, stage in stages.items() if stage.compared_with
    }


def test_a_file_of_the_same_text_is_not_read() -> None:
    reads: list[str] = []

    def stage(name: str, fingerprint: str, count: int) -> StageFile:
        def load() -> Graph:
            reads.append(name)
            return chain(count)

        return StageFile(name, fingerprint, load)

    files = [stage("a_0001.ir", "p", 3), stage("b_0002.ir", "p", 3), stage("c_0003.ir", "q", 4)]
    assert [(s.file, s.changed, s.compared_with) for s in diff_stages(files)] == [
        ("a_0001.ir", False, None),
        ("b_0002.ir", False, "a_0001.ir"),
        ("c_0003.ir", True, "b_0002.ir"),
    ]
    assert reads == ["a_0001.ir", "c_0003.ir"]


def test_a_stage_that_cannot_be_read_does_not_end_the_sequence() -> None:
    def broken() -> Graph:
        raise ParseError("no graph in this text")

    files = [
        StageFile("a_0001.ir", "", lambda: chain(3)),
        StageFile("b_0002.ir", "", broken),
        StageFile("c_0003.ir", "", lambda: chain(4)),
    ]
    stages = list(diff_stages(files))
    assert [(s.error, s.compared_with) for s in stages] == [
        ("", None),
        ("no graph in this text", None),
        ("", "a_0001.ir"),
    ]
    assert "cannot be read: no graph in this text" in "\n".join(stage_lines(stages))


def test_which_stage_brought_a_node_in() -> None:
    found = list(find_in_stages(stage_files(str(FOLDER)), Query.parse("op=call")))
    assert [(stage_label(s.file), s.before, s.after) for s in found] == [
        ("00_parse", 0, 1),
        ("04_abstract_specialize", 1, 16),
        ("opt_pass_1_opt_a", 16, 0),
    ]
    assert found[0].nodes[0].startswith("call %")
    assert sighting_lines("op=None", []) == ["op=None: in no stage"]


def test_where_two_compilations_part() -> None:
    files = stage_files(str(FOLDER))
    assert find_parting(files, files)[0] is None
    other = [f if "validate" not in f.name else StageFile(f.name, "", lambda: chain(3)) for f in files]
    parting, same = find_parting(files, other)
    assert parting is not None
    assert (parting.a, len(same)) == ("10_validate_0021.ir", 5)
    fewer, _ = find_parting(files, other[1:])
    assert fewer is not None
    assert fewer.only_a == ("00_parse_0000.ir",)


def test_the_table_folds_what_changed_nothing() -> None:
    lines = stage_lines(diff_stages(stage_files(str(FOLDER))))
    assert lines[0] == "9 stages, 5 changed the graph"
    assert "    … 1 stage changed nothing" in lines
    assert "    … 2 stages changed nothing" in lines
    everything = stage_lines(diff_stages(stage_files(str(FOLDER))), everything=True)
    assert len(everything) == 2 + 9


def test_what_changed_in_a_line() -> None:
    from msdump.diff.graphs import diff_graphs

    folder = FIXTURES / "pairs" / "2.10.0_conv_attr_stride"
    diff = diff_graphs(read_graph(folder / "base.ir"), read_graph(folder / "edited.ir"))
    assert what_changed(diff) == "~1 MaxPool  ~7 types"
