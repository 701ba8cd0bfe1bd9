"""`msdump report`: one page that needs nothing else, says what the commands say, and shows data as data."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from msdump import PrintWriter, read_graph, write_graph
from msdump.cli.report import short_names
from tests.cli.conftest import Run
from tests.conftest import FIXTURES

PAIR = FIXTURES / "pairs" / "2.10.0_conv_op_added_mul_const"
DUMP = FIXTURES / "dump" / "2.10.0" / "bf16_tensor"
MIXED = FIXTURES / "print" / "mindspore" / "new_mixed.pb"
_VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """What stands in a page: balanced elements, attributes, text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def report(run: Run, tmp_path: Path, *inputs: Path, status: int = 0) -> tuple[Page, str]:
    out = tmp_path / "report.html"
    done = run("report", *map(str, inputs), "-o", str(out))
    assert done.status == status, done.err
    source = out.read_text(encoding="utf-8")
    page = Page(source)
    assert page.open == []
    # Offline: nothing is fetched, nothing runs.
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("href", "src", "action", "xlink:href"):
            assert (tag, value[:1]) == ("a", "#")
    assert "@import" not in source
    assert "url(" not in source
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value[1:] for _, name, value in page.attributes if name == "href"}
    assert links <= set(ids)
    return page, source


def test_two_graphs_are_compared_and_shown(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, PAIR / "base.ir", PAIR / "edited.ir")
    text = page.text()
    assert "base.ir against edited.ir comparison 1 operator added, 4 other changes follow" in text
    assert "net.py:26 y = y * 0.5" in text
    assert "base.ir graph 105 nodes in 41 subgraphs" in text
    assert "edited.ir graph 110 nodes in" in text
    assert page.tags.count("svg") == 1


def test_a_folder_of_stages(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, FIXTURES / "passes" / "1.1.1")
    text = page.text()
    assert "1.1.1 compile stages 9 stages, 5 changed the graph" in text
    assert "opt_pass_1_opt_a: 2 operators removed, 3 operators rewired" in text
    assert sum(value.startswith("#stage") for _, name, value in page.attributes if name == "href") == 5


def test_two_folders_of_stages_are_compared(run: Run, tmp_path: Path) -> None:
    folders = [tmp_path / "run_a", tmp_path / "run_b"]
    for folder, name in zip(folders, ("base", "edited"), strict=True):
        folder.mkdir()
        shutil.copy(FIXTURES / "passes" / "1.1.1" / "00_parse_0000.ir", folder)
        shutil.copy(PAIR / f"{name}.ir", folder / "10_validate_0021.ir")
    page, _ = report(run, tmp_path, *folders)
    text = page.text()
    assert "run_a against run_b comparison the compilations part at 10_validate: 1 operator added" in text
    assert "the same in 1 stages before it" in text
    assert "net.py:26 y = y * 0.5" in text


def test_a_failed_compilation_says_why_first(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, FIXTURES / "fail" / "2.10.0_ConvChannels.ir")
    text = page.text()
    why = text.index("the input has 8 channels, the weight is for 16")
    assert text.index("compilation stopped at nets.py:38") < why < text.index("nodes in")


def test_dumps(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, DUMP)
    text = page.text()
    assert "13 tensors of 7 operators" in text
    assert "no NaN or inf" in text
    assert "Add Default/Add-op0 output 0 Float32 (2) 2.625 1.38672 2.00586 2.96877" in text


def test_two_dumps_are_compared(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(DUMP, other)
    (name,) = other.rglob("Add.*output*.npy")
    np.save(name, np.array([2.625, np.nan], np.float32))
    page, _ = report(run, tmp_path, DUMP, other)
    text = page.text()
    assert "13 tensors compared: 12 agree, 1 differ" in text
    assert "first divergence Add output 0 of Default/Add-op0 dtypes.py:34" in text
    assert "first NaN or inf: Add Default/Add-op0, rank 0, graph 0, iteration 0" in text


def test_a_print_log_has_curves_of_its_scalars(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    with PrintWriter(path) as writer:
        for step in range(5000):
            writer.write(("loss:", np.array(1 / (step + 1), np.float32)))
        writer.write(("odd", np.array(np.nan, np.float32)))
    page, source = report(run, tmp_path, path)
    text = page.text()
    assert "5,001 records" in text
    assert re.search(r"loss: 1,250 values, 1 → 0\.00020\d+, min 0\.00020\d+, max 1\b", text)
    assert page.tags.count("path") == 1
    assert "… and 4,801 more" in text
    assert len(source) < 200_000


def test_two_print_logs_are_compared(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, MIXED, MIXED.with_name("old_mixed.pb"))
    assert "new_mixed.pb against old_mixed.pb comparison 1 of 7 values differ" in page.text()


def test_a_damaged_log_is_not_compared(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, MIXED, MIXED.with_name("trunc_100.pb"), status=2)
    assert "comparison not compared: " in page.text()


def test_a_comparison_of_a_damaged_graph_says_so(run: Run, tmp_path: Path) -> None:
    content = (FIXTURES / "anf_pb/1.10.0_conv_relu.pb").read_bytes()
    cut, whole = tmp_path / "cut.pb", tmp_path / "whole.pb"
    cut.write_bytes(content[: len(content) * 2 // 3])
    whole.write_bytes(content)
    page, _ = report(run, tmp_path, cut, whole, status=2)
    assert "comparison compared is what could be read: cut.pb: " in page.text()


def test_what_files_hold_is_data(run: Run, tmp_path: Path) -> None:
    evil = '<script>alert("x")</script>\x1b[31m&amp;\u202e'
    path = tmp_path / "<b>print.pb"
    with PrintWriter(path) as writer:
        writer.write((evil, np.arange(3, dtype=np.float32)))
    page, source = report(run, tmp_path, path)
    assert r'<script>alert("x")</script>\x1b[31m&amp;\u202e' in page.text()
    assert "<b>print.pb" in page.text()
    assert "\x1b" not in source
    assert "\u202e" not in source


def test_a_damaged_log_is_shown_as_far_as_it_goes(run: Run, tmp_path: Path) -> None:
    page, _ = report(run, tmp_path, MIXED.with_name("trunc_100.pb"), status=2)
    assert "tensor:" in page.text()
    assert "the file ends inside a record" in page.text()


def test_a_name_that_is_taken_is_refused(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    out.write_text("mine")
    done = run("report", str(MIXED), "-o", str(out))
    assert (done.status, out.read_text()) == (2, "mine")
    assert done.err.startswith(f"msdump: {out}: the file exists already")
    assert run("report", str(MIXED), "-o", str(out), "--force").status == 0
    assert out.read_text().startswith("<!DOCTYPE html>")


def test_it_is_the_same_each_time(run: Run, tmp_path: Path) -> None:
    inputs = (PAIR / "base.ir", MIXED, DUMP, FIXTURES / "passes" / "1.1.1")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert report(run, tmp_path / "a", *inputs)[1] == report(run, tmp_path / "b", *inputs)[1]


def test_a_large_graph_is_shown_in_part(run: Run, tmp_path: Path) -> None:
    graph = read_graph(PAIR / "base.ir")
    entry = graph.funcs[graph.entry]
    many = tuple(replace(entry.parameters[0], name=f"p{n}") for n in range(20_000))
    graph = replace(graph, funcs={**graph.funcs, graph.entry: replace(entry, parameters=many + entry.parameters)})
    write_graph(graph, tmp_path / "large.json")
    page, source = report(run, tmp_path, tmp_path / "large.json")
    assert "… and 19," in page.text()
    assert len(source) < 200_000


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a/b/base.ir", "a/b/edited.ir"), ["base.ir", "edited.ir"]),
        (("run_a/x.ir", "run_b/x.ir"), ["run_a/x.ir", "run_b/x.ir"]),
        (("a/x.ir", "a/x.ir"), ["x.ir", "x.ir"]),
        (("a/x.ir",), ["a/x.ir"]),
        (("a", "a/b"), ["a", "a/b"]),
        (("/",), ["/"]),
    ],
)
def test_names_of_inputs(paths: tuple[str, ...], names: list[str]) -> None:
    assert short_names(paths) == names


@pytest.mark.integration
def test_a_browser_draws_it(run: Run, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium")
    report(run, tmp_path, PAIR / "base.ir", PAIR / "edited.ir")
    shot = tmp_path / "shot.png"
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,1200", f"--screenshot={shot}"]
    subprocess.run(
        [browser, *arguments, (tmp_path / "report.html").as_uri()], check=True, capture_output=True, timeout=120
    )
    png = shot.read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") == 1000
    assert len(png) > 20_000  # an empty page has 5,000
