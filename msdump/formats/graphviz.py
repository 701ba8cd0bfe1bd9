""".svg and .png: a graph drawn by Graphviz' `dot`, when it is installed.

A picture: it is not read back and asks for no `lossy`.
"""

from __future__ import annotations

import subprocess
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Literal

from msdump.errors import WriteError
from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import Graph

PROGRAM = "dot"
PATIENCE = 300
"""Seconds that `dot` may take; beyond some thousand nodes it takes hours."""


def render(
    graph: Graph, path: str | PathLike[str], *, kind: Literal["svg", "png"], lossy: bool = False, force: bool = False
) -> None:
    """Draw a graph.

    Raises:
        WriteError: Graphviz is not there, fails, or takes too long; or the file cannot be written.
    """
    import shutil

    from msdump.formats.atomic import write_file
    from msdump.graph.picture import dot_lines
    from msdump.graph.verify import require_sound

    require_sound(graph, kind)
    program = shutil.which(PROGRAM)
    if program is None:
        hint = "install Graphviz (https://graphviz.org), or write .dot and draw it elsewhere"
        raise WriteError(f"{kind} needs Graphviz, and its program `{PROGRAM}` is not on the PATH", hint=hint)
    source = "\n".join(dot_lines(graph, facts=False)).encode("utf-8", "replace")
    smaller = "write .dot and draw it with sfdp, or draw the part of it that matters"
    try:
        done = subprocess.run([program, f"-T{kind}"], input=source, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise WriteError(f"Graphviz did not finish in {PATIENCE} s", hint=smaller) from None
    except OSError as error:
        raise WriteError(f"Graphviz cannot be run: {error.strerror or error}") from error
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise WriteError(f"Graphviz failed: {said[0] if said else f'exit status {done.returncode}'}", hint=smaller)
    write_file(path, done.stdout, force=force)


FORMATS = tuple(
    Format(
        name=kind,
        kind="graph",
        summary=f"picture of a graph, drawn by Graphviz ({kind.upper()})",
        write=partial(render, kind=kind),
    )
    for kind in ("svg", "png")
)
