from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import FIXTURES

PAIRS = FIXTURES / "pairs"
ADDED = PAIRS / "2.10.0_conv_op_added_mul_const"
STRIDE = PAIRS / "2.10.0_conv_attr_stride"
RENAMED = PAIRS / "2.10.0_conv_layer_renamed"
CAST = PAIRS / "2.10.0_conv_cast_added" / "edited.ir"
PASSES = FIXTURES / "passes" / "1.1.1"
FAIL = FIXTURES / "fail"


# ------------------------------------------------------------------ diff
def test_diff_says_what_was_added(run: Run) -> None:
    shown = run("graph", "diff", ADDED / "base.ir", ADDED / "edited.ir")
    assert shown.status == 1
    lines = shown.out.split("\n")
    assert lines[0] == "1 operator added, 4 other changes follow"
    assert lines[2].split() == ["+", "Muls", "Default", "net.py:26", "y", "=", "y", "*", "0.5"]
    assert lines[4] == "    follows: +2 Return, +2 call"
    assert run("diff", ADDED / "base.ir", ADDED / "edited.ir") == shown


def test_diff_as_json(run: Run) -> None:
    shown = run("graph", "diff", "--json", STRIDE / "base.ir", STRIDE / "edited.ir")
    document = shown.json()
    assert (shown.status, document["schema"], document["same"]) == (1, "msdump.graph-diff/1", False)
    assert document["summary"] == {"added": {}, "removed": {}, "changed": 8, "rewired": 0, "moved": 0}
    (root,) = [c for c in document["changes"] if c["cause"] is None]
    assert (root["kind"], root["op"], root["scope"], root["source"]) == (
        "changed",
        "MaxPool",
        "Default/pool-MaxPool2d",
        "net.py:25",
    )
    assert root["what"]["strides"] == ["(1, 1, 2, 2)", "(1, 1, 1, 1)"]
    assert root["name"] == {"a": "%5", "b": "%5"}
    assert set(root["graph"]) == {"a", "b"}
    assert run("graph", "diff", "--format", "json", STRIDE / "base.ir", STRIDE / "edited.ir").json() == document


def test_the_same_is_0(run: Run) -> None:
    shown = run("graph", "diff", RENAMED / "base.ir", RENAMED / "edited.ir")
    assert shown.status == 0
    assert shown.out.startswith("same computation; 5 names or scopes differ\n")
    assert "= ×3: scope Default/conv1-Conv2d → Default/stem-Conv2d" in shown.out
    quiet = run("graph", "diff", "--ignore", "names,scope", RENAMED / "base.ir", RENAMED / "edited.ir")
    assert (quiet.status, quiet.out) == (0, "same computation\n")


def test_what_is_left_out_and_what_is_asked_for(run: Run) -> None:
    pair = (STRIDE / "base.ir", STRIDE / "edited.ir")
    assert run("graph", "diff", "--ignore", "types", "--ignore", "attr:strides", *pair).status == 0
    assert run("graph", "diff", "--only", "attrs", *pair).out.startswith("1 attribute changed")
    assert run("graph", "diff", "--scope", "Default/fc-Dense", *pair).status == 0
    wrong = run("graph", "diff", "--ignore", "colours", *pair)
    assert (wrong.status, "colours cannot be ignored" in wrong.err) == (2, True)
    assert run("graph", "diff", "--map", "x", *pair).status == 2


def test_verbose_says_why(run: Run) -> None:
    shown = run("graph", "diff", "-v", STRIDE / "base.ir", STRIDE / "edited.ir").out
    assert "    matched: " in shown
    assert "type: Tensor[Float32] (2, 8, 8, 8) → Tensor[Float32] (2, 8, 15, 15)" in shown


def test_stat_and_markdown(run: Run) -> None:
    stat = run("graph", "diff", "--stat", STRIDE / "base.ir", STRIDE / "edited.ir").out.split("\n")
    assert " Default/bn-BatchNorm2d |    2 ~~" in stat
    assert stat[-2] == " 28 and 28 nodes, 28 matched; 8 changed"
    text = run("graph", "diff", "--format", "md", ADDED / "base.ir", ADDED / "edited.ir").out
    assert text.startswith("**1 operator added, 4 other changes follow**\n\n| | operator | where | source | what |\n")
    assert "| + | Muls | Default | net.py:26 y = y \\* 0.5 |" in text


def test_a_page_of_its_own(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "diff.html"
    pair = (CAST.parent / "base.ir", CAST)
    assert run("graph", "diff", *pair, "-o", page).status == 1
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<svg") == 4
    assert text.count("<figcaption>before</figcaption>") == 2
    assert "http" not in text
    assert "<script" not in text
    again = run("graph", "diff", *pair, "-o", page)
    assert (again.status, "exists already" in again.err) == (2, True)
    other = tmp_path / "again.html"
    run("graph", "diff", *pair, "-o", other)
    assert other.read_text(encoding="utf-8") == text


def test_text_of_a_file_is_data(run: Run, tmp_path: Path) -> None:
    text = (ADDED / "edited.ir").read_text(encoding="utf-8")
    evil = tmp_path / "evil.ir"
    evil.write_text(text.replace("y = y * 0.5", "y = '<script>\x1b[31m' # |*"), encoding="utf-8")
    assert "\x1b" not in run("graph", "diff", ADDED / "base.ir", evil).out
    page = tmp_path / "evil.html"
    run("graph", "diff", ADDED / "base.ir", evil, "-o", page)
    assert "<script>" not in page.read_text(encoding="utf-8")
    assert "\\|\\*" in run("graph", "diff", "--format", "md", ADDED / "base.ir", evil).out


def test_no_graph_is_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "not.ir").write_text("hello\n", encoding="utf-8")
    shown = run("graph", "diff", tmp_path / "not.ir", CAST)
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith(f"msdump: {tmp_path}/not.ir: ")
    assert run("graph", "diff", tmp_path / "gone.ir", CAST).status == 2
    assert "is a directory" in run("graph", "diff", tmp_path, CAST).err


# ------------------------------------------------------------------ show
def test_show_is_a_summary(run: Run) -> None:
    shown = run("graph", "show", CAST)
    lines = shown.out.split("\n")
    assert shown.status == 0
    assert lines[0].startswith("graph @")
    assert ": 30 nodes, 1 subgraph" in lines[0]
    assert lines[2] == "10 parameters, 9 of them weights"
    assert lines[3].split() == ["x", "Tensor[Float32]", "(2,", "3,", "16,", "16)"]
    assert "       2  Cast" in lines
    assert run("show", CAST) == run(CAST) == shown


def test_show_selects(run: Run) -> None:
    lines = run("graph", "show", CAST, "--op", "Cast").out.split("\n")
    assert lines[0] == "2 of 30 nodes"
    assert " = Cast(" in lines[1]
    assert lines[1].endswith("   net.py:28  a = self.cast(self.exp(self.cast(z, mstype.float16)), mstype.float32)")
    assert run("graph", "show", CAST, "--source", "net.py:28").out.startswith("3 of 30 nodes\n")
    assert run("graph", "show", CAST, "--dtype", "Float16").out.startswith("2 of 30 nodes\n")
    assert run("graph", "show", CAST, "--scope", "Default/conv1").out.startswith("3 of 30 nodes\n")
    detail = run("graph", "show", CAST, "--node", "%1").out
    assert "    stride: (1, 1, 1, 1)\n" in detail
    assert len(run("graph", "show", CAST, "--nodes").out.strip().split("\n")) == 30
    tree = run("graph", "show", CAST, "--tree").out.split("\n")
    assert tree[0].startswith("Default  (30)")
    assert any(line.startswith("  bn-BatchNorm2d  (6)") for line in tree)
    assert run("graph", "show", CAST, "--opaque").out.split("\n")[0] == "0 pieces of opaque text"
    assert run("graph", "show", CAST, "--check").out == "nothing contradicts itself\n"


def test_show_selection_as_json(run: Run) -> None:
    document = run("graph", "show", CAST, "--op", "Conv2D", "--json").json()
    assert (document["schema"], document["query"]) == ("msdump.graph-nodes/1", "op=Conv2D")
    assert [row["op"] for row in document["nodes"]] == ["Conv2D", "Conv2D"]


def test_show_whole_as_json_is_the_graph(run: Run) -> None:
    from msdump.formats.graph_json import from_data
    from msdump.io import read_graph

    document = run("graph", "show", CAST, "--json").json()
    assert document["schema"] == "msdump.graph/1"
    assert from_data(document) == read_graph(CAST)


def test_show_of_a_large_file_needs_no_graph(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from msdump.cli.graph import show

    monkeypatch.setattr(show, "LARGE", 0)
    lines = run("graph", "show", CAST).out.split("\n")
    assert lines[0].startswith("graph @")
    assert lines[0].endswith(": 30 nodes, 1 subgraph")
    assert lines[2] == "10 parameters"
    assert "       2  Cast" in lines
    assert run("graph", "show", CAST, "--all").out.split("\n")[2] == "10 parameters, 9 of them weights"


# ------------------------------------------------------------------ canon
def test_canon(run: Run, tmp_path: Path) -> None:
    text = run("graph", "canon", CAST).out
    assert text.startswith("entry @__main___ConvNet_construct\n")
    assert "  %Cast.1 = Cast(%TupleGetItem.1, 42)" in text
    assert run("graph", "canon", CAST, "-o", tmp_path / "c.txt").status == 0
    assert (tmp_path / "c.txt").read_text(encoding="utf-8") == text
    assert len(run("graph", "canon", CAST, "--hash").out.strip()) == 64
    assert "@ net.py:28" in run("graph", "canon", CAST, "--locations").out


# ------------------------------------------------------------------ passes
def test_passes(run: Run) -> None:
    shown = run("graph", "passes", PASSES)
    assert shown.status == 0
    assert shown.out.startswith("9 stages, 5 changed the graph\n")
    assert "-23 Return  -16 call  -7 call_var  -7 switch  -1 others" in shown.out
    document = run("graph", "passes", PASSES, "--json").json()
    assert document["schema"] == "msdump.graph-passes/1"
    assert [set(stage) >= {"file", "changed", "summary", "graph", "compared_with"} for stage in document["stages"]] == [
        True
    ] * 9
    assert run("graph", "passes", PASSES, "--until", "05_inline").out.startswith("3 stages, 1 changed")
    assert "op=call: the number changes in 3 stages" in run("graph", "passes", PASSES, "--find", "op=call").out
    one = run("graph", "passes", PASSES, "--show", "opt_pass_1_opt_a").out
    assert one.startswith("opt_pass_1_opt_a_0009.ir against 05_inline_0005.ir\n")
    assert run("graph", "passes", PASSES, "--show", "nothing").status == 2
    assert run("graph", "passes", FAIL / "no such").status == 2


def test_passes_of_two_folders(run: Run, tmp_path: Path) -> None:
    assert run("graph", "passes", PASSES, PASSES).out == "the same in all 9 stages that both have\n"
    shutil.copytree(PASSES, tmp_path / "other")
    shutil.copy(CAST, tmp_path / "other" / "10_validate_0021.ir")
    shown = run("graph", "passes", PASSES, tmp_path / "other")
    assert shown.status == 1
    assert shown.out.startswith("the compilations part at 10_validate: ")


# ------------------------------------------------------------------ explain, check
def test_explain(run: Run) -> None:
    shown = run("graph", "explain", FAIL / "2.10.0_MatmulShape.ir")
    assert shown.status == 0
    assert shown.out.startswith(
        "compilation stopped at nets.py:21   return self.mm(h, y)\n"
        "  MatMul( h: Tensor[Float32] (2, 3),  y: Tensor[Float32] (4, 5) )\n"
        "  inner dimensions differ: 3 and 4\n"
    )
    with_log = run("graph", "explain", FAIL / "2.0.0_ArgCount.ir", "--error", FAIL / "2.0.0_ArgCount.txt")
    assert "  scale takes 2 arguments, 3 are given (self not counted)\n" in with_log.out
    assert run("graph", "explain", CAST).status == 2
    assert run("graph", "explain", FAIL / "2.10.0_MatmulShape.ir", "--json").json()["kind"] == "shape"


def test_check(run: Run, tmp_path: Path) -> None:
    expect = tmp_path / "expect.txt"
    expect.write_text("CHECK: Conv2D\nCHECK-COUNT-2: Cast\n", encoding="utf-8")
    good = run("graph", "check", CAST, "--expect", expect)
    assert (good.status, good.out) == (0, "all expectations hold\n")
    expect.write_text("CHECK: Conv2D\nCHECK-COUNT-3: Cast\n", encoding="utf-8")
    bad = run("graph", "check", CAST, "--expect", expect)
    assert bad.status == 1
    assert bad.out.startswith(f"{expect}:2: CHECK-COUNT-3: Cast\n    2 nodes match, not 3")
    document = run("graph", "check", CAST, "--expect", expect, "--json").json()
    assert (document["holds"], document["misses"][0]["line"]) == (False, 2)
    expect.write_text("nothing", encoding="utf-8")
    assert run("graph", "check", CAST, "--expect", expect).status == 2


# ------------------------------------------------------------------ git
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("on_path", [True, False])
def test_git_shows_stable_text(tmp_path: Path, on_path: bool) -> None:
    home = tmp_path / "home"
    home.mkdir()
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    tool = bin_folder / "msdump"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m msdump "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    searched = os.pathsep.join(
        [str(bin_folder)] * on_path
        + [p for p in os.environ["PATH"].split(os.pathsep) if on_path or not os.path.exists(os.path.join(p, "msdump"))]
    )
    repository = tmp_path / "repository"
    repository.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "PATH": searched,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=repository, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    git("init", "-q")
    setup = subprocess.run(
        [sys.executable, "-m", "msdump", "git", "setup"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert setup.returncode == 0, setup.stderr
    assert "*.ir diff=msdump-graph" in (repository / ".gitattributes").read_text(encoding="utf-8")
    shutil.copy(ADDED / "base.ir", repository / "g.ir")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    shutil.copy(ADDED / "edited.ir", repository / "g.ir")
    shown = git("diff")
    assert [line for line in shown.split("\n") if line.startswith("+  %") and " = Muls(" in line]
    assert "0x" not in shown
    tool_says = git("difftool", "--no-prompt", "-t", "msdump")
    assert tool_says.startswith("1 operator added")


def test_git_setup_can_be_read_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/msdump")
    shown = run("git", "setup", "--print").out
    assert "git config --local diff.msdump-graph.textconv 'msdump git textconv graph'\n" in shown
    assert json.dumps("*.ir diff=msdump-graph")[1:-1] in shown
