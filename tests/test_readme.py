"""README.md: its commands print what it says, its Python gives what it says."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each command of the console blocks, and what the README says it prints."""
    found: list[tuple[str, str]] = []
    for language, text in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                found.append((line, output))
    return found


@pytest.mark.parametrize(("line", "output"), commands(), ids=lambda text: text.split("\n")[0][:60])
def test_a_command_prints_what_the_readme_says(line: str, output: str) -> None:
    program, *words = shlex.split(line)
    assert program == "msdump"
    ran = subprocess.run(
        [sys.executable, "-m", "msdump", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
        check=False,
    )
    assert ran.stdout == output


def test_there_are_commands_of_every_kind_of_end() -> None:
    assert len(commands()) >= 5


def test_the_python_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = "".join(text for language, text in BLOCKS if language == "python" and text.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 5
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_the_python_scripts_run(tmp_path: Path) -> None:
    scripts = [text for language, text in BLOCKS if language == "python" and not text.startswith(">>>")]
    assert scripts
    for number, script in enumerate(scripts):
        folder = tmp_path / str(number)
        folder.mkdir()
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", script], cwd=folder, env=env, check=True, capture_output=True)


def test_what_ci_installs_and_runs_is_what_the_readme_says() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for line in ("pip install -e '.[dev,all]'", "pytest -n auto"):
        assert f"\n{line}\n" in README
        assert line.replace("pip install", "pip install --quiet") in run
    extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"dev", "all"} <= set(extras)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert link.startswith("http") or (ROOT / link).exists()
