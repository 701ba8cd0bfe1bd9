"""Commands for any kind of file: which command of which kind does the work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

import click

from msdump.errors import MsdumpError

STAGES = "folder of graphs"
"""What a folder of compile stages is called."""

# What a file holds → the module whose `command` shows it, and the one that compares two.
SHOW = {
    "print": "msdump.cli.print.show",
    "graph": "msdump.cli.graph.show",
    STAGES: "msdump.cli.graph.passes",
    "dump": "msdump.cli.dump.ls",
    "tensor": "msdump.cli.dump.show",
    "table": "msdump.cli.dump.show",
    "failure": "msdump.cli.graph.explain",
}
DIFF = {
    "print": "msdump.cli.print.diff",
    "graph": "msdump.cli.graph.diff",
    STAGES: "msdump.cli.graph.passes",
    "dump": "msdump.cli.dump.diff",
    "tensor": "msdump.cli.dump.diff",
    "table": "msdump.cli.dump.diff",
}


def kind_of(path: str) -> str:
    """What stands at a path.

    Raises:
        UnknownFormatError: nothing msdump knows.
        OSError: it is not there or cannot be read.
    """
    from msdump import io

    if path != "-":
        os.stat(path)  # a missing file is told as such, whatever its name looks like
    found = io.kind_of(path)
    return STAGES if found == "graph" and os.path.isdir(path) else found


def command_for(table: dict[str, str], kind: str, doing: str) -> click.Command:
    """The command for a kind of file.

    Raises:
        MsdumpError: there is none.
    """
    module = table.get(kind)
    if module is not None:
        try:
            found = import_module(module).command
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        else:
            assert isinstance(found, click.Command)
            return found
    raise MsdumpError(f"{doing} is not possible for a {kind}")


def run(command: click.Command, name: str, arguments: Sequence[str], parent: click.Context | None) -> int:
    """Run a command inside another and return its exit status."""
    try:
        with command.make_context(name, list(arguments), parent=parent) as context:
            status = command.invoke(context)
    except click.exceptions.Exit as ending:
        status = ending.exit_code
    return status if isinstance(status, int) else 0


def split_paths(command: click.Command, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Arguments as (paths, options with their values), by what options the command has."""
    takes_value: dict[str, bool] = {}
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for spelling in (*parameter.opts, *parameter.secondary_opts):
                takes_value[spelling] = not (parameter.is_flag or parameter.count)
    paths: list[str] = []
    options: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            paths += rest
            break
        if not word.startswith("-") or word == "-":
            paths.append(word)
            continue
        options.append(word)
        if "=" not in word and takes_value.get(word, False) and rest:
            options.append(rest.pop(0))
    return paths, options


def first_path(arguments: Sequence[str]) -> str | None:
    """The first word that is the path of something that is there, else the first that is no option."""
    words = [word for word in arguments if word == "-" or not word.startswith("-")]
    for word in words:
        if word == "-" or os.path.exists(word):
            return word
    return words[0] if words else None
