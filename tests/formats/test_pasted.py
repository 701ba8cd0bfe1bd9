"""Texts that came by way of an issue, a mail, a log collector or an editor read as they were before."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from msdump.formats import dat, ir
from msdump.formats.ir.summary import summary
from msdump.formats.pasted import clean_head, unpaste, unpaste_bytes
from msdump.graph.graph import Graph
from msdump.io import inspect, sniff
from msdump.source import TextPlace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = sorted(
    path
    for folder in ("ir", "dat", "fail")
    for path in (FIXTURES / folder).iterdir()
    if path.suffix in (".ir", ".dat") and path.stat().st_size < 60_000
)


def each(before: str | Callable[[int], str], blank: bool = True) -> Callable[[str], str]:
    """Something in front of each line; in front of empty lines too unless not `blank`."""

    def wrap(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(
            line if not (line or blank) else (before if isinstance(before, str) else before(number)) + line
            for number, line in enumerate(lines, 1)
        )

    return wrap


def moments(seed: int) -> Callable[[int], str]:
    at = random.Random(seed)
    return lambda number: (
        f"2026-12-{1 + number // 5000:02d} 11:{number // 60 % 60:02d}:{number % 60:02d}.{at.randrange(1000):03d} "
    )


FRONT = "left out in front of each line: "
FENCES = "left out: Markdown fences and what is around them"
WRAPPINGS: dict[str, tuple[Callable[[str], str], str]] = {
    "indented": (each("    ", blank=False), f"{FRONT}4 blanks"),
    "tab": (each("\t"), f"{FRONT}a tab"),
    "quoted": (each("> "), f"{FRONT}a quotation mark"),
    "quoted twice": (each("> > "), f"{FRONT}a quotation mark"),
    "mark": (lambda text: "\ufeff" + text, "the text is in UTF-8-SIG"),
    "fence": (lambda text: f"Look at this:\n\n```text\n{text}\n```\nWhy?\n", FENCES),
    "fence in a quote": (lambda text: each("> ")(f"```\n{text}\n```"), f"{FRONT}a quotation mark"),
    "cat -n": (each(lambda number: f"{number:6}\t"), f"{FRONT}a line number"),
    "editor": (each(lambda number: f"{number:5} "), f"{FRONT}a line number"),
    "grep -n": (each(lambda number: f"{number}:"), f"{FRONT}a line number"),
    "log": (each(moments(1)), f"{FRONT}a time stamp"),
    "rank": (each("[rank3]: "), f"{FRONT}a tag"),
    "mpirun": (each("[1,0]<stdout>:"), f"{FRONT}a tag"),
    "compose": (each("trainer-0  | "), f"{FRONT}a tag"),
    "logger": (each("2026-12-07 11:21:35,123 - root - INFO - "), f"{FRONT}a time stamp"),
    "page": (lambda text: each("\xa0\xa0")(text.replace("  ", " \xa0")), "no-break spaces are read as spaces"),
    "glog": (each(lambda number: f"I1207 11:21:{number % 60:02}.123456  1234 a.cc:12] "), f"{FRONT}a time stamp"),
    "loguru": (each("2026-12-07 11:21:35.123 | INFO     | __main__:main:10 - "), f"{FRONT}a time stamp"),
    "kubernetes": (each("2026-12-07T11:21:35.123456789Z stdout F "), f"{FRONT}a time stamp"),
    "grep": (each(lambda number: f"graphs/a.ir:{number}:"), f"{FRONT}'graphs/a.ir:"),
    "patch": (each("+"), f"{FRONT}'+'"),
    "comment": (each("// "), f"{FRONT}'//'"),
    "old Macintosh": (lambda text: text.replace("\n", "\r"), "the lines end in CR"),
    "HTML": (html.escape, "characters escaped for HTML are read as what they stand for"),
    "colours": (each("\x1b[32m"), "left out: colour codes of a terminal"),
}  # fmt: skip


def read(path: Path) -> Graph:
    content = inspect(path).content
    assert isinstance(content, Graph)
    return content


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_wrapped_file_is_the_graph_it_was(path: Path, tmp_path: Path) -> None:
    plain = path.read_bytes().decode("utf-8", "surrogateescape")
    graph = read(path)
    assert unpaste(path) is None, "a file of MindSpore's own is left to its reader"
    for name, (wrap, first) in WRAPPINGS.items():
        there = tmp_path / f"{name}.txt"
        there.write_bytes(wrap(plain).encode("utf-8", "surrogateescape"))
        assert sniff(there) is sniff(path), name
        assert read(there) == graph, name
        assert inspect(there).notes[0].what.startswith(first), name
    for codec in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        there = tmp_path / f"{codec}.txt"
        there.write_bytes(plain.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode(codec))
        assert sniff(there) is sniff(path), codec
        assert read(there) == graph, codec


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_whose_lines_end_otherwise_is_the_graph_it_was(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    there = tmp_path / path.name
    there.write_bytes(data.replace(b"\n", b"\r\n"))
    assert read(there) == read(path)
    assert [note.what for note in inspect(there).notes if "CR LF" in note.what] == ["the lines end in CR LF"]
    there.write_bytes(re.sub(rb"[ \t]+(?=\n)", b"", data))
    if "containers_odd" in path.name:  # a string in it has a blank before its line end
        return
    assert replace(read(there), comments=()) == replace(read(path), comments=())
    there.write_bytes(data.replace(b"\n", b"   \n"))
    assert replace(read(there), comments=()) == replace(read(path), comments=())
    assert inspect(there).notes[0].what == "left out: blanks at the ends of lines"


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = "subgraph @main() {\n  %0(a) = Neg(%para1_x)\n  %1(b) = Neg(%0)\n"
    path = tmp_path / "a.ir"
    path.write_text("Hello,\n```\n" + each("> ")(text) + "\n```\n")
    reading = ir.inspect(path)
    (place,) = [note.where for note in reading.notes if note.what == "the subgraph has no closing brace"]
    assert isinstance(place, TextPlace)
    assert (place.line, place.column) == (3, 3)
    node = reading.spans["main/%1"]
    assert isinstance(node, TextPlace)
    assert (node.line, node.column, node.text) == (5, 3, "    %1(b) = Neg(%0)")
    broken = tmp_path / "a.dat"
    broken.write_text(
        each("> ")("# [No.1] main.1\nfuncgraph fg_1(\n    ) {\n    %1 = Primitive::Return{prim_type=1}(@x)\n")
    )
    error = dat.inspect(broken).error
    assert error is not None
    assert str(error) == f"{broken}:1:3: graph main.1 is not closed: the file ends inside it"


def test_a_summary_sees_through_it(tmp_path: Path) -> None:
    path = FIXTURES / "ir" / "2.5.0_print_net_validate.ir"
    there = tmp_path / "a.ir"
    there.write_text(each("> ")(path.read_text()))
    assert summary(there) == summary(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "    a\n    b\n",
        "> a mail\n> without a graph\n",
        '{\n  "a": 1,\n  "b": 2\n}\n',
        "Tensor(shape=[], dtype=Int32, value= 1)\n",
        "epoch: 1 step: 1, loss is Tensor(shape=[], dtype=Int32, value= 1)\n" * 3,
        "[1. 2.]\n[3. 4.]\n",
        '{"schema": "msdump.graph/1", "comments": ["# 1.This file shows the parsed IR info"]}\n',
    ],
)
def test_what_is_no_pasted_text_is_left_as_it_is(text: str) -> None:
    assert unpaste_bytes(text.encode()).notes == ()
    assert clean_head(text.encode()) == text.encode()


def test_bytes_that_are_no_text_are_left_as_they_are() -> None:
    numbers = bytes(range(256)) * 4
    for data in (numbers, b"\x93NUMPY\x01\x00" + numbers, b"A\x00" * 400, b"\x0a\x05\x0a\x03abc" * 50):
        assert clean_head(data) == data
