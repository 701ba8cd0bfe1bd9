"""What commands share: where output goes, colour, escaping, and the bar for long work."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def color_option(command: F) -> F:
    """`--color auto|always|never`, given to the command as `color`: whether to use it."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        callback=lambda _ctx, _param, value: wants_color(value),
        help="Colour the output; auto: on a terminal, unless NO_COLOR is set.",
    )(command)


def json_option(command: F) -> F:
    """`--json`, given to the command as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document (docs/json.md).")(command)


def wants_color(mode: str) -> bool:
    """Whether to colour what goes to standard output."""
    if mode != "auto":
        return mode == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def styled(text: str, color: bool, **style: Any) -> str:
    """`text` in a style (click's names) when colour is on."""
    return click.style(text, **style) if color else text


def emit(pieces: Iterable[str], *, flush: bool = False) -> None:
    """Write pieces of content to standard output: as they are, but escaped on a terminal."""
    from msdump.render.escape import escape_control

    stream = sys.stdout
    on_terminal = stream.isatty()
    for piece in pieces:
        text = escape_control(piece) if on_terminal else piece
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = getattr(stream, "encoding", None) or "utf-8"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        if flush:
            stream.flush()


def emit_json(document: Any, indent: int | None = None) -> None:
    """Write a JSON document and a newline to standard output, in characters that it can take."""
    from msdump.json_text import json_text

    emit_json_text(json_text(document, indent) + "\n")


def emit_json_text(text: str) -> None:
    """Write a piece of JSON to standard output; what its encoding lacks stands as JSON spells it."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.write("".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text))


def emit_lines(lines: Iterable[str]) -> None:
    """Write lines of a report to standard output; what they hold is escaped already."""
    for line in lines:
        try:
            sys.stdout.write(line + "\n")
        except UnicodeEncodeError:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


class Bar:
    """A progress bar on standard error: shown on a terminal alone, for work longer than a second."""

    def __init__(self, what: str, total: float) -> None:
        self._what = what
        self._total = total
        self._begin = time.monotonic()
        self._next = self._begin + 1.0
        self._shown = sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: Any = None

    def at(self, done: float) -> None:
        """`done` of the total is done."""
        if not self._shown or (now := time.monotonic()) < self._next:
            return
        self._next = now + 0.1
        if self._progress is None:
            from rich.console import Console
            from rich.progress import Progress

            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._what, total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()


def watched(items: Iterable[T], what: str, total: float, position: Callable[[T], float]) -> Iterator[T]:
    """The items, with a bar that follows `position` of the last one up to `total`."""
    with Bar(what, total) as bar:
        for item in items:
            bar.at(position(item))
            yield item
