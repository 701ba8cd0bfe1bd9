"""`msdump git setup`: git diff shows canonical text, git difftool the graph diff."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click

from msdump.cli.diff import command as diff
from msdump.errors import MsdumpError

ATTRIBUTES = (
    "*.ir diff=msdump-graph",
    "*.dat diff=msdump-graph",
    "*.mindir diff=msdump-graph",
    "print*.pb diff=msdump-print",
    "*.print.pb diff=msdump-print",
)


def _config() -> tuple[tuple[str, str], ...]:
    """Keys and values of git's configuration. The program is named as a shell finds it: by its name, or
    where that is on no search path by the Python it is installed in."""
    program = "msdump" if shutil.which("msdump") else f"{shlex.quote(sys.executable)} -m msdump"
    return (
        ("diff.msdump-graph.textconv", f"{program} git textconv graph"),
        ("diff.msdump-print.textconv", f"{program} git textconv print"),
        ("difftool.msdump.cmd", f'{program} git difftool "$LOCAL" "$REMOTE"'),
        ("difftool.msdump.trustExitCode", "false"),
    )


@click.group()
def command() -> None:
    """Git's diff driver and difftool for graphs (.ir, .dat, .mindir) and print logs (print.pb)."""


@command.command()
@click.option("--global", "everywhere", is_flag=True, help="For all repositories of this user, not this one alone.")
@click.option("--print", "only_print", is_flag=True, help="Only print what would be set.")
@click.option("--undo", is_flag=True, help="Take it out again.")
def setup(everywhere: bool, only_print: bool, undo: bool) -> None:
    """Make `git diff` of graphs and print logs show stable text, and `git difftool -t msdump` the graph diff.

    Sets the drivers in git's configuration and their patterns in .gitattributes (in this user's
    attributes file with --global). What is there already stays.
    """
    where = "--global" if everywhere else "--local"
    if only_print:
        for key, value in _config():
            click.echo(f"git config {where} {key} '{value}'")
        click.echo(f"# in {'git/attributes' if everywhere else '.gitattributes'}:")
        for line in ATTRIBUTES:
            click.echo(line)
        return
    attributes = _attributes_file(everywhere)
    for key, value in _config():
        if undo:
            _git("config", where, "--unset-all", key, check=False)
        else:
            _git("config", where, key, value)
    have = attributes.read_text(encoding="utf-8").splitlines() if attributes.exists() else []
    if undo:
        kept = [line for line in have if line not in ATTRIBUTES]
        if kept != have:
            attributes.write_text("".join(line + "\n" for line in kept), encoding="utf-8")
        click.echo(f"taken out of git's configuration and {attributes}")
        return
    missing = [line for line in ATTRIBUTES if line not in have]
    if missing:
        attributes.parent.mkdir(parents=True, exist_ok=True)
        attributes.write_text("".join(line + "\n" for line in [*have, *missing]), encoding="utf-8")
    click.echo(f"set in git's configuration ({where[2:]}) and {attributes}")
    click.echo("git diff shows graphs and print logs as stable text; git difftool -t msdump compares graphs")


def _attributes_file(everywhere: bool) -> Path:
    if everywhere:
        named = _git("config", "--global", "--get", "core.attributesFile", check=False).strip()
        home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return Path(named).expanduser() if named else home / "git" / "attributes"
    return Path(_git("rev-parse", "--show-toplevel").strip()) / ".gitattributes"


def _git(*words: str, check: bool = True) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MsdumpError("git is not installed") from None
    if check and done.returncode:
        said = (done.stderr or done.stdout).strip().split("\n")[0]
        raise MsdumpError(f"git {words[0]}: {said}", hint="run it inside a repository, or with --global")
    return done.stdout


@command.command()
@click.argument("kind", type=click.Choice(["graph", "print"]))
@click.argument("file")
def textconv(kind: str, file: str) -> None:
    """A file as stable text, for git: never an error, git would show nothing at all."""
    if kind == "graph":
        from msdump.graph import Graph
        from msdump.graph.canon import canon
        from msdump.io import inspect

        reading = inspect(file)
        if isinstance(reading.content, Graph):
            click.echo(canon(reading.content), nl=False)
            if reading.error is not None:
                click.echo(f"(damaged: {reading.error.what})")
            return
    else:
        from msdump.io import read_print
        from msdump.ms_text import value_text

        try:
            for record in read_print(file):
                for value in record.values:
                    click.echo(value_text(value))
        except MsdumpError as error:
            click.echo(f"(damaged: {error.what})")
        return
    with open(file, "rb") as stream:
        click.echo(stream.read().decode("utf-8", "replace"), nl=False)


@command.command()
@click.argument("local")
@click.argument("remote")
@click.pass_context
def difftool(ctx: click.Context, local: str, remote: str) -> None:
    """Compare two files as `msdump diff` does, whatever they are."""
    if os.path.getsize(local) == 0 or os.path.getsize(remote) == 0:
        click.echo("only on one side")
        return
    ctx.invoke(diff, arguments=(local, remote))
