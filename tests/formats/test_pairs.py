"""The same net written in two formats by one run: equal wherever both formats hold the fact.

What a release's own files leave out of what their format can hold stands in UNTOLD.
"""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

import pytest

from msdump.capability import EVERYTHING
from msdump.formats import anf_pb, dat, dot, ir
from msdump.graph.graph import Graph
from msdump.graph.positions import by_position
from msdump.graph.project import project
from tests.conftest import CORPUS, REAL

NETS = ("conv_relu", "lenet_train", "print_net", "attention", "control_flow_while")
RELEASES = ("1.0.0", "1.1.1", "1.3.0", "1.6.1", "1.10.0", "2.0.0", "2.5.0", "2.10.0")
HELD = {
    "ir": EVERYTHING - {"weights"},
    "dat": dat.FORMAT.capabilities,
    "dot": frozenset(  # of MindSpore's own
        {
            *("attrs", "instances", "op_kinds", "return_facts", "return_names", "type_values"),
            *("debug_names", "parameter_names"),
        }
    ),
    "pb": anf_pb.FORMAT.capabilities,
}
READ = {"ir": ir.read, "dat": dat.read, "dot": dot.read, "pb": anf_pb.read}
UNTOLD: dict[str, dict[str, frozenset[str]]] = {
    "ir": {
        # Return has no name; op numbers in full names are counted anew; floats have six digits; the
        # elements of tuples have no kinds; a parameter's default is told in few stages;
        # nothing types the parameters of subgraphs.
        "": frozenset(
            {"inner_types", "return_names", "fullnames", "exact_floats", "small_floats", "value_kinds", "defaults"}
        ),
        "1.": frozenset({"graph_details"}),
        "1.0": frozenset({"scopes", "locations"}),
        "1.1.": frozenset({"scopes"}),
        "1.3": frozenset({"scopes"}),
        "1.6": frozenset({"scopes"}),
    },
    "dat": {"1.0": frozenset({"debug_names"}), "1.1.": frozenset({"debug_names"})},
    # A parameter goes by the last name the script gave it.
    "dot": {"2.": frozenset({"parameter_names"})},
    "pb": {"": frozenset()},
}


def facts(first: str, second: str, release: str) -> frozenset[str]:
    """What both formats hold, less what the release's files do not tell."""
    untold = (f for kind in (first, second) for start, f in UNTOLD[kind].items() if release.startswith(start))
    return (HELD[first] & HELD[second]) - frozenset().union(*untold)


def last_number(path: Path) -> int:
    return max(map(int, re.findall(r"\d+", path.stem)))


def stages(release: str, net: str, kind: str) -> list[Path]:
    """The validate stages of a net in one format, by number; ms_output_optimize.pb shows the last."""
    if kind == "pb":
        return list((REAL / "anf_pb" / release / net).glob("ms_output_optimize.pb"))
    return sorted((REAL / kind / release / net).glob(f"*validate*.{kind}"), key=last_number)


def partners(release: str, net: str, first: str, second: str) -> list[tuple[Path, Path]]:
    """Files of one stage of one compilation in two formats."""
    left, right = stages(release, net, first), stages(release, net, second)
    if "pb" in (first, second) or release in ("1.0.0", "1.1.1"):  # later compilations overwrite
        return list(zip(left[-1:], right[-1:], strict=False))
    return [(a, b) for a, b in itertools.product(left, right) if abs(last_number(a) - last_number(b)) <= 2]


PAIRS = [
    pytest.param(release, first, second, a, b, id=f"{release}-{net}-{a.name}-{b.name}")
    for release in RELEASES
    for net in NETS
    for first, second in itertools.combinations(READ, 2)
    for a, b in partners(release, net, first, second)
]


@functools.lru_cache(maxsize=16)
def graph_of(kind: str, path: Path) -> Graph:
    return READ[kind](path)


@pytest.mark.parametrize(("release", "first", "second", "a", "b"), PAIRS)
def test_two_formats_of_one_stage_are_the_same_graph(release: str, first: str, second: str, a: Path, b: Path) -> None:
    common = facts(first, second, release)
    assert {"attrs", "debug_names", "scopes", "instances", "types"} & common
    left, right = project(graph_of(first, a), common), project(graph_of(second, b), common)
    others = by_position(right.funcs)
    for name, func in by_position(left.funcs).items():
        assert func.parameters == others[name].parameters
        for mine, theirs in zip(func.nodes, others[name].nodes, strict=True):
            assert mine == theirs
    assert left == right


def test_every_pair_of_formats_is_there() -> None:
    found = {(p.values[1], p.values[2]) for p in PAIRS}
    assert found == set(itertools.combinations(READ, 2))
    assert len(PAIRS) > (100 if REAL == CORPUS else 25)
