"""Law 1 for any text, and law 4: damaged files give a graph with notes, or an error with a place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msdump.errors import MsdumpError, ParseError, TruncatedError
from msdump.formats import ir
from msdump.formats.ir.summary import summary
from msdump.formats.ir.syntax.document import parse_document
from msdump.formats.ir.syntax.lines import join_lines, split_lines
from msdump.source import TextPlace
from tests.formats.ir.texts import FILES, exact, v1, v2

PIECES = st.sampled_from(
    [
        "subgraph @g() {",
        "}",
        "  %0(a) = Add(%para1_x, ",
        "      : (<null>) -> (<null>)",
        "# Order:",
        "\r",
        "\0",
        '"',
        "(",
        "%",
    ]
)


def tolerant(data: bytes) -> None:
    """Reads damaged bytes: a graph that can be printed, or an error with a place."""
    document = parse_document(split_lines(data))
    assert document.to_bytes() == data
    try:
        graph = ir.parse(data)
    except MsdumpError as error:
        where = error.where
    else:
        ir.to_bytes(graph)
        return
    assert isinstance(where, TextPlace)
    assert (where.line, where.column) >= (1, 1)


@given(st.binary(max_size=300))
def test_any_bytes_join_again(data: bytes) -> None:
    assert join_lines(split_lines(data)) == data
    assert parse_document(split_lines(data)).to_bytes() == data


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=14).map("\n".join))
def test_any_lines_are_read_or_refused(text: str) -> None:
    tolerant(text.encode("utf-8", "surrogateescape" if text.isprintable() else "replace"))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.floats(0, 1))
def test_a_prefix_of_a_file(path: Path, part: float) -> None:
    data = path.read_bytes()
    tolerant(data[: int(len(data) * part)])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(FILES), st.integers(0, 1 << 30), st.integers(1, 20))
def test_a_file_with_bytes_changed(path: Path, seed: int, times: int) -> None:
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(times):
        at = chance.randrange(len(data))
        kind = chance.random()
        if kind < 0.4:
            data[at] = chance.choice(b"(){}[]<>,:%@$#\"'=\n 0aZ\\\xff\x00")
        elif kind < 0.7:
            del data[at : at + chance.choice([1, 3, 200])]
        else:
            data[at:at] = chance.choice([b"(", b")", b"{", b"\n", b", ", b"%", b'"', b": (", b"# ", b"}\n"])
        if not data:
            data = bytearray(b"x")
    tolerant(bytes(data))


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=4
    )
)
def test_strings_of_2_x_come_back(strings: list[str]) -> None:
    """Whatever stands in quotes prints back; where the quotes are plain it is the string itself."""
    body = f"  %0(a) = Print({', '.join(f'{chr(34)}{text}{chr(34)}' for text in strings)})\n"
    body += f"      : ({', '.join(['<String, NoShape>'] * len(strings))}) -> (<null>)"
    exact(v2(body))


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no graph in this text"),
        ("nothing\nhere", 1, 1, "no graph in this text"),
        ("#IR entry      : @g\n#attrs         :\n", 1, 1, "no graph in this text"),
    ],
)
def test_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        ir.parse(text, "a.ir")
    assert isinstance(caught.value.where, TextPlace)
    assert (caught.value.what, caught.value.where.line, caught.value.where.column) == (message, line, column)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (v1("  %0(a) = "), 11, "this node cannot be read"),
        (v1("  %0(a) = F(%para1_x) ??"), 11, "what stands behind this node's operands cannot be read"),
        (
            v1("  %0(a) = F(%para1_x, 1, 2)\n      : (<null>) -> (<null>)"),
            11,
            "operands and types do not count the same",
        ),
        ("subgraph @g() {\n  %0(a) = F()\nsubgraph @h() {\n}\n", 1, "the subgraph has no closing brace"),
    ],
)
def test_notes(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    path.write_text(text)
    reading = ir.inspect(path)
    assert reading.error is None
    found = [(note.what, note.where.line) for note in reading.notes if isinstance(note.where, TextPlace)]
    assert found == [(message, line)]
    assert ir.format_graph(reading.content) == text


def test_a_file_that_ends_inside_a_subgraph(tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    path.write_text(v1("  %0(a) = F(%para1_x)").partition("}")[0])
    reading = ir.inspect(path)
    assert isinstance(reading.error, TruncatedError)
    assert isinstance(reading.error.where, TextPlace)
    assert (reading.error.what, reading.error.where.line) == ("the file ends inside this subgraph", 10)
    assert [node.op for node in reading.content.root.nodes] == ["F"]


def test_the_place_of_a_node(tmp_path: Path) -> None:
    path = tmp_path / "a.ir"
    path.write_text(v1("  %0(a) = F(%para1_x)\n  %1(b) = G(%0)"))
    place = ir.inspect(path).spans["main.1/%1"]
    assert isinstance(place, TextPlace)
    assert (place.line, place.text) == (12, "  %1(b) = G(%0)")


def test_windows_newlines_come_back() -> None:
    text = v2("  %0(a) = F(%para1_x)").replace("\n", "\r\n")
    graph = ir.parse(text)
    assert graph.root.nodes[0].op == "F"
    assert ir.to_bytes(graph) == text.encode()


def test_a_long_chain_needs_no_recursion(tmp_path: Path) -> None:
    nodes = "\n".join(f"  %{i}(n{i}) = ReLU({f'%{i - 1}' if i else '%para1_x'})" for i in range(20_000))
    path = tmp_path / "chain.ir"
    path.write_text(v1(nodes))
    graph = ir.read(path)
    assert len(graph.root.nodes) == 20_000
    assert ir.to_bytes(graph) == path.read_bytes()
    assert summary(path).operators == {"ReLU": 20_000}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_summary_counts_what_the_graph_holds(path: Path) -> None:
    found, graph = summary(path), ir.read(path)
    assert sorted(found.operators.elements()) == sorted(node.op for _, node in graph.iter_nodes())
    if found.entry:
        assert found.entry == graph.entry
        assert list(found.parameters) == [parameter.name for parameter in graph.root.parameters]
