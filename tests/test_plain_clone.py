"""A clone with nothing beside it holds every law on real files: fixtures/real has enough of each kind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from msdump.formats import ir
from msdump.formats.ir.dialects.releases import NAMES
from tests.conftest import FIXTURES, ROOT

SELECTION = FIXTURES / "real"
RELEASES = {"1.0.0", "1.1.1", "1.3.0", "1.6.1", "1.10.0", "2.0.0", "2.5.0", "2.10.0"}


def test_no_law_runs_over_nothing_without_the_corpus(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "", "-p", "no:cacheprovider"]
    command += [
        "-o",
        "empty_parameter_set_mark=fail_at_collect",
        "tests/formats",
        "tests/graph",
        "tests/runtime/executor",
    ]
    environment = {**os.environ, "MSDUMP_CORPUS": str(tmp_path / "absent")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    laws = Counter(line.partition("[")[0].rpartition("/")[2] for line in done.stdout.split("\n") if "[" in line)
    assert laws["test_corpus.py::test_every_real_file_prints_back"] >= 100
    assert laws["test_dat.py::test_every_real_file"] >= 25
    assert laws["test_dot.py::test_every_real_file_and_back_through_ours"] >= 25
    assert laws["test_anf_pb.py::test_every_real_file"] >= 30
    assert laws["test_mindir.py::test_every_real_model_is_sound"] >= 6
    assert laws["test_ir_report.py::test_a_report_is_not_taken_for_a_graph"] >= 6
    assert laws["test_pairs.py::test_two_formats_of_one_stage_are_the_same_graph"] >= 25


@pytest.mark.parametrize(
    ("kind", "releases"),
    [
        ("ir", RELEASES),
        ("dot", RELEASES),
        ("dat", {release for release in RELEASES if release.startswith("1.")}),
        ("anf_pb", RELEASES - {"1.0.0", "1.1.1"}),
        ("mindir", RELEASES - {"1.0.0", "1.1.1"}),
        ("notgraph", RELEASES - {"1.0.0", "1.1.1"}),
    ],
)
def test_every_kind_of_file_is_there_of_every_release(kind: str, releases: set[str]) -> None:
    assert {path.name for path in (SELECTION / kind).iterdir() if any(path.rglob("*.*"))} == releases


def test_every_dialect_is_there() -> None:
    found = {ir.read(path).source.dialect for path in SELECTION.glob("ir/**/*.ir")}
    assert found >= set(NAMES) - {"2.5"}  # the files of 2.5.0 are read as 2.10, which they are nearer to


def test_the_fixtures_stay_small() -> None:
    assert sum(path.stat().st_size for path in FIXTURES.rglob("*") if path.is_file()) < 3_000_000
