"""docs/ names what there is: every schema, command, option, public name and key of the context."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

import msdump
from msdump.cli.app import cli
from msdump.runtime.parallel_context import PARALLEL_TABLE
from msdump.runtime.settings import TABLE, Setting
from tests.conftest import ROOT

DOCS = ROOT / "docs"
COMMANDS = (DOCS / "commands.md").read_text(encoding="utf-8")

SCHEMA = re.compile(r"\bmsdump\.[a-z][a-z-]*/\d+")


def test_every_schema_is_documented() -> None:
    named = {
        found
        for path in (ROOT / "msdump").rglob("*.py")
        for found in re.findall(r'"(msdump\.[a-z][a-z-]*/\d+)"', path.read_text(encoding="utf-8"))
    }
    documented = {s for path in (ROOT / "docs").glob("*.md") for s in SCHEMA.findall(path.read_text(encoding="utf-8"))}
    assert named
    assert sorted(named - documented) == []


def commands(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its words."""
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for word in command.list_commands(ctx):
            found = command.get_command(ctx, word)
            assert found is not None
            yield from commands(found, (*name, word))
    else:
        yield " ".join(("msdump", *name)), command


def about(name: str) -> str:
    """What docs/commands.md says of a command: its own section, what stands above those of its kind, and at the top."""
    top, *kinds = re.split(r"^## ", COMMANDS, flags=re.MULTILINE)
    for kind in kinds:
        above, *sections = re.split(r"^### ", kind, flags=re.MULTILINE)
        for section in sections:
            if re.match(rf"`{re.escape(name)}\b", section):
                return top + above + section
        if re.search(rf"`{re.escape(name)}\b", above):
            return top + above
    return ""


@pytest.mark.parametrize(("name", "command"), [pytest.param(*found, id=found[0]) for found in commands(cli)])
def test_every_command_and_option_is_documented(name: str, command: click.Command) -> None:
    if name in ("msdump git textconv", "msdump git difftool"):
        assert f"`{name}`" in COMMANDS
        return
    said = about(name)
    assert said, f"no section of docs/commands.md is about {name}"
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    unsaid = [o.opts[-1] for o in options if not any(re.search(rf"(?<![\w-]){opt}(?![\w-])", said) for opt in o.opts)]
    assert unsaid == []


def test_options_of_the_documentation_are_there() -> None:
    known = {opt for _, command in commands(cli) for p in command.params for opt in p.opts} | {"--help", "--version"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", COMMANDS))
    assert sorted(named - known) == []


def test_every_public_name_is_documented() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    assert [name for name in msdump.__all__ if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("setting", [*TABLE, *PARALLEL_TABLE], ids=lambda setting: setting.name)
def test_every_key_of_the_context_is_documented(setting: Setting) -> None:
    text = (DOCS / "runtime.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| `{setting.name}` \| .*$", text, re.MULTILINE)
    assert f"| `{setting.default!r}` |" in row
    assert ("(kept)" in row) is (setting.effect == "kept")


def test_the_test_of_the_documentation_passes(tmp_path: Path) -> None:
    (source,) = re.findall(r"^```python\n(.*?)^```$", (DOCS / "testing.md").read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "test_net.py").write_text(source, encoding="utf-8")
    # An installation has the plugin's entry point; a checkout on the path has not.
    known = any(point.value == "msdump.pytest_plugin" for point in entry_points(group="pytest11"))
    plugin = [] if known else ["-p", "msdump.pytest_plugin"]
    words = ["-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "test_net.py"]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


EDIT = (DOCS / "edit.md").read_text(encoding="utf-8")


@pytest.fixture
def beside_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the fixtures in it, for pages that write files."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_session_about_edits(beside_fixtures: Path) -> None:
    session = "".join(re.findall(r"^```python\n(.*?)^```$", EDIT, re.M | re.S))
    test = doctest.DocTestParser().get_doctest(session, {}, "edit.md", "edit.md", 0)
    assert len(test.examples) >= 15
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_the_commands_about_edits(beside_fixtures: Path) -> None:
    (console,) = re.findall(r"^```console\n(.*?)^```$", EDIT, re.M | re.S)
    for part in re.split(r"^\$ msdump ", console, flags=re.M)[1:]:
        line, _, output = part.partition("\n")
        words = [sys.executable, "-m", "msdump", *shlex.split(line)]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, output), line
