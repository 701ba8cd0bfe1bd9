"""No line is passed over: one that is deleted, indented, unindented or replaced by noise is told by the
result or by a note.

The result is what the graph means: lines kept as comments do not count, so noise must be noted. Of a
deleted line, and one that is indented further, the layout may tell: an empty line, an address, a type
that is told twice.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from msdump.cli.app import cli
from msdump.errors import MsdumpError
from msdump.formats import ir
from msdump.formats.ir.lower.lowering import lower
from msdump.formats.ir.syntax.document import parse_document
from msdump.formats.ir.syntax.lines import split_lines
from msdump.graph import Graph, NodeRef
from msdump.graph.value import Attrs, Str
from msdump.source import TextPlace
from tests.conftest import FIXTURES
from tests.formats.ir.texts import FILES, exact, real_files, v2

NOISE = "?! noise 17"


def meaning(graph: Graph | None) -> Graph | None:
    """A graph without what is kept as text only."""
    if graph is None:
        return None
    funcs = {
        key: replace(func, comments=(), nodes=tuple(replace(node, comments=()) for node in func.nodes))
        for key, func in graph.funcs.items()
    }
    message = any(node.failure is not None for _, node in graph.iter_nodes())  # of a failure, in anybody's words
    return replace(graph, comments=graph.comments if message else (), funcs=funcs)


def reading(lines: list[str]) -> tuple[Graph | None, Counter[str]]:
    """A text's graph (None where there is none), and its notes with their lines' texts."""
    try:
        document = parse_document(split_lines("\n".join(lines).encode("utf-8", "surrogateescape")))
        graph = lower(document)
    except MsdumpError:
        return None, Counter()
    notes = Counter(f"{note.what} {getattr(note.where, 'text', '')}" for note in document.notes)
    return graph if graph.funcs else None, notes


def changes(line: str) -> Iterator[tuple[str, list[str]]]:
    """What is done to a line, and the lines that stand there then."""
    yield "deleted", []
    yield "indented", ["  " + line]
    if line != line.lstrip(" "):
        yield "unindented", [line[1:]]
        yield "flush left", [line.lstrip(" ")]
    yield "noise", [NOISE]


def passed_over(lines: list[str], chosen: list[int]) -> Iterator[str]:
    """The changes that neither the graph nor a note shows."""
    graph, notes = reading(lines)
    assert graph is not None
    known = meaning(graph)
    for at in chosen:
        for change, instead in changes(lines[at]):
            other, told = reading([*lines[:at], *instead, *lines[at + 1 :]])
            layout = other is not None and change in ("deleted", "indented") and other.source != graph.source
            if meaning(other) == known and told == notes and not layout:
                yield f"{at + 1} {change}: {lines[at]!r}"


def shapes(lines: list[str], each: int, chance: random.Random) -> list[int]:
    """Lines of every shape: `each` of those that look alike."""
    alike: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        alike.setdefault(re.sub(r"\w+", "w", line)[:40], []).append(at)
    return sorted(at for group in alike.values() for at in chance.sample(group, min(each, len(group))))


def law(path: Path, most: int) -> int:
    """Holds the law for lines of each shape in a file; how many were tried."""
    lines = split_lines(path.read_bytes())
    if lines[0].endswith("\r"):
        lines = [line.removesuffix("\r") for line in lines]
    chance = random.Random(path.name)
    chosen = shapes(lines, 2, chance)
    chosen = sorted(chance.sample(chosen, min(most, len(chosen))))
    assert list(passed_over(lines, chosen)) == []
    return len(chosen)


@pytest.mark.parametrize("path", [*FILES, *sorted((FIXTURES / "fail").glob("*.ir"))], ids=lambda p: p.name)
def test_no_line_of_a_fixture_is_passed_over(path: Path) -> None:
    assert law(path, 40) > 5


@pytest.mark.slow
@pytest.mark.parametrize("path", real_files(), ids=lambda p: p.name)
def test_no_line_of_a_real_file_is_passed_over(
    path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    record_testsuite_property(f"lines tried in {path.name}", law(path, 12))


FLUSH_LEFT = """\
# Params:
%para1_p: <Tensor[Float32], (4)>
%para2_q: <Tensor[Float32], (4)>

subgraph @head_1() {
%0(s) = PrimFunc_Add(%para1_p, %para2_q)
    : (<Tensor[Float32], (4)>, <Tensor[Float32], (4)>) -> (<Tensor[Float32], (4)>)
%1(t) = PrimFunc_Mul(%0, %para2_q)
    : (<Tensor[Float32], (4)>, <Tensor[Float32], (4)>) -> (<Tensor[Float32], (4)>)
Return(%1)
    : (<Tensor[Float32], (4)>)
}
"""


def test_nodes_at_column_0_are_nodes() -> None:
    root = exact(FLUSH_LEFT).root
    assert [(node.op, node.inputs) for node in root.nodes] == [
        ("Add", (NodeRef("p"), NodeRef("q"))),
        ("Mul", (NodeRef("%0"), NodeRef("q"))),
        ("Return", (NodeRef("%1"),)),
    ]


BLANKS = (
    v2("  %0(a) = Neg(%para1_x)\n      # \n  Return(%0)")
    .replace("subgraph attr:\n", "subgraph attr:\nhas_attached: 1\njit_level: \nless_bn: 0\n")
    .replace("# Total params", "# Attrs:\nhas_attached: 1\njit_level: \nless_bn: 0\n\n# Total params")
)


def test_lines_that_lost_the_blank_they_end_with() -> None:
    graph = exact(BLANKS)
    trimmed = exact(re.sub(" +$", "", BLANKS, flags=re.MULTILINE))
    assert trimmed == graph
    assert (
        trimmed.attrs
        == trimmed.root.attrs
        == Attrs({"has_attached": Str("1"), "jit_level": Str(""), "less_bn": Str("0")})
    )


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("= scope (Default)", "this line is not understood"),
        ("# Scope: (Default)", "this line is not understood"),
        ("# as the paper has it", "this comment is of an unknown kind"),
    ],
)
@pytest.mark.parametrize("at", [0, 5, 6, 7, 12], ids=["head", "start", "under", "between", "end"])
def test_a_line_that_is_not_understood_is_noted_where_it_stands(line: str, what: str, at: int, tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    lines = FLUSH_LEFT.split("\n")
    path.write_text("\n".join([*lines[:at], line, *lines[at:]]))
    (note,) = ir.inspect(path).notes
    assert (note.what, note.where) == (what, TextPlace(str(path), at + 1, 1, line))


def test_check_lists_the_lines_that_are_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    path.write_text(FLUSH_LEFT.replace("Return", "%2 <- "))
    done = CliRunner().invoke(cli, ["graph", "show", "--check", str(path)])
    assert done.exit_code == 1
    assert "warning: this node cannot be read (line 10): %2 <- (%1)" in done.stdout
    assert "1 line of the file is not understood" in done.stdout
    shown = CliRunner().invoke(cli, ["graph", "show", str(path)])
    assert shown.exit_code == 2
    assert "this node cannot be read (line 10)" in shown.stderr


def test_an_operand_that_names_a_later_node_or_itself_is_told_by_check(tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    path.write_text(FLUSH_LEFT.replace("Add(%para1_p", "Add(%1"))
    done = CliRunner().invoke(cli, ["graph", "show", "--check", str(path)])
    assert done.exit_code == 1
    assert done.stdout.splitlines() == ["error: %1 uses %0, which needs %1", "the graph contradicts itself"]
    path.write_text(FLUSH_LEFT.replace("Mul(%0", "Mul(%1"))
    done = CliRunner().invoke(cli, ["graph", "show", "--check", str(path)])
    assert (done.exit_code, done.stdout.splitlines()[0]) == (1, "error: %1 uses %1, which needs %1")
