"""What of a name is the user's and what the compiler made up.

MindSpore numbers nearly everything: graphs ("22_construct.185", "3_↵__main___Net_construct_39"),
nodes ("[CNode]12", "CNode_155"), operators in a scope ("Conv2D-op14"). Any edit, and any second
compilation, shifts these numbers. The functions here strip them, so that names can be compared.
"""

from __future__ import annotations

import functools
import re

_LEADING = re.compile(r"^(?:\d+[_.]?)+(?=\D)")
_AFTER_MARK = re.compile(r"(?<=[✓✗↓↑↵↻⥁⤾▶◀▸◂▲▽])\d+_?")
_TRAILING = re.compile(r"(?:[._]\d+)+$")
_DIGITS_BEFORE_MARK = re.compile(r"(?<![A-Za-z0-9])\d+_?(?=[✓✗↓↑↵↻⥁⤾▶◀▸◂▲▽])")
_OP_NUMBER = re.compile(r"-op\d+(?=$|/|\b)")
_GENERATED = re.compile(r"^[@%$]*(?:equiv)?(?:\[?(?:CNode|ValueNode|Parameter|CNode_|Φ|ф)\]?[_.]?\d*|\d+)(?:[$:.].*)?$")
_KERNEL_GRAPH = re.compile(r"^(kernel_graph)_?\d+$")
_NUMBER_RUN = re.compile(r"(?<=[_.\]-])\d+")


@functools.lru_cache(maxsize=65536)
def graph_label(name: str) -> str:
    """A FuncGraph's name without the compiler's numbers: "22_↓construct.185" → "↓construct".

    `kernel_graph0` (renumbered by every compilation in one process) becomes "kernel_graph".
    """
    text = name.lstrip("@")
    kernel = _KERNEL_GRAPH.match(text)
    if kernel:
        return kernel[1]
    text = _LEADING.sub("", text)
    text = _DIGITS_BEFORE_MARK.sub("", text)
    text = _AFTER_MARK.sub("", text)
    text = _TRAILING.sub("", text)
    return text or name


@functools.lru_cache(maxsize=65536)
def scope_label(scope: str) -> str:
    """A scope or full name without the operator numbers: "Default/conv1-Conv2d/Conv2D-op14" →
    "Default/conv1-Conv2d/Conv2D"."""
    return _OP_NUMBER.sub("", scope) if "-op" in scope else scope


@functools.lru_cache(maxsize=65536)
def is_generated(debug_name: str) -> bool:
    """Whether a node's debug name is the compiler's ("CNode_155") and not the user's ("output")."""
    return not debug_name or _GENERATED.match(debug_name) is not None


@functools.lru_cache(maxsize=65536)
def debug_label(debug_name: str) -> str:
    """A debug name without numbers: "" when there is nothing of the user's in it."""
    if is_generated(debug_name):
        return ""
    return _NUMBER_RUN.sub("", _LEADING.sub("", debug_name))


@functools.lru_cache(maxsize=65536)
def file_label(path: str) -> str:
    """The last part of a source path, whatever machine it was on."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def in_scope(scope: str, prefix: str) -> bool:
    """Whether `scope` lies in `prefix`: "Default/conv1" holds "Default/conv1-Conv2d" and what is
    under it, and not "Default/conv10"."""
    if not prefix:
        return True
    prefix = prefix.rstrip("/")
    if not scope.startswith(prefix):
        return False
    rest = scope[len(prefix) :]
    return not rest or rest[0] in "/-"


_LIBRARY = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]"
    r"|[/\\]mindspore[/\\](?:ops|nn|common|_extends|train|parallel)[/\\]|[/\\]msdump[/\\]runtime[/\\]"
)


def in_library(path: str) -> bool:
    """Whether a source file is a library's, installed or in a checkout, and not the user's own."""
    return _LIBRARY.search(path) is not None
