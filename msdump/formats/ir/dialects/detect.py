"""Which dialect a file is written in, told feature by feature from what its lines look like."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from msdump.formats.ir.dialects.dialect import Dialect, differing
from msdump.formats.ir.dialects.releases import nearest
from msdump.formats.ir.syntax.document import Document

_HEAD_LINES = 300
_BLOCKS = 60
_LINES = 900
_CHARACTERS = 100_000
_WIDTH = 2000
"""How much of a file is looked at: lines of its head, subgraphs, lines and characters of these."""

_SEEN: tuple[tuple[str, Any, re.Pattern[str]], ...] = tuple(
    (key, value, re.compile(pattern, re.MULTILINE))
    for key, value, pattern in (
        ("params", "index", r"^%para\d+ = "),
        ("params", "name", r"^%para\d+_"),
        ("inner_params", "name", r"^subgraph @.*\(\s*%para\d+_"),
        ("inner_params", "bare", r"^subgraph @.*\(\s*%para_"),
        ("shape", "vector", r"Tensor[\[(]\w+[\])]\]?x\[const vector\]\["),
        ("shape", "x", r"Tensor[\[(]\w+[\])]\]?x\("),
        ("shape", "paren", r"Tensor[\[(]\w+[\])]\]?, \("),
        ("no_shape", True, r"<\w+, NoShape>"),
        ("no_shape", False, r"<(?:Func|Bool|Int64|Int32|String|UMonad|IOMonad)>"),
        ("tuple_shape", True, r"<Tuple\[.*?\], TupleShape\("),
        ("tuple_shape", False, r"<Tuple\[[^<>]*\](?:>|, sequence_nodes)"),
        ("ref", "Tensor(F32)", r"Ref\[Tensor\(\w+\)\]"),
        ("ref", "Tensor[Float32]", r"Ref\[Tensor\[\w+\]\]"),
        ("ref_colon", True, r"ref_key=:"),
        ("ref_colon", False, r"ref_key=[^:]"),
        ("ref_keys", True, r"ref_key="),
        ("vector", "[]", r"Format\[const vector\]\["),
        ("vector", "{}", r"Format\[const vector\]\{"),
        ("monads", "U", r"(?<!>)[( ](?:U|IO)[,)]"),
        ("monads", "UMonad[U]", r"U(?:Monad)?\[U\]|IOMonad\[IO\]"),
        ("tensor_gap", True, r"dtype=\w+, value= "),
        ("tensor_gap", False, r"dtype=\w+, value=[^ \n]"),
        ("numbers", "fixed", r"[( ]-?\d+\.\d{5}0[,)}]"),
        ("numbers", "general", r"[( ]-?\d+\.\d{1,5}[,)}]"),
        ("weight", "IsWeight: ", r"IsWeight: (?:true|false)"),
        ("weight", "IsWeight:", r"IsWeight:(?:true|false)"),
        ("labels", True, r" primitive_attrs: \{| cnode_attrs: \{"),
        ("labels", False, r"\) (?:\{instance name: [^{}]*\} )?\{(?!instance name: |\w*strategy: )\w+: "),
        ("return_op", "Primitive::Return{prim_type=1}", r"^ +Primitive::Return\{"),
        ("return_op", "return", r"^ +return\("),
        ("return_op", "Return", r"^ +Return\("),
        ("calls", "at", r"\[@"),
        ("calls", "bare", r"^ +%\d+\(.*?\) = [^ ({]+\[(?:FuncUnion\(|[^@=\]]*\]\()"),
        ("free", "at", r"\$\(@"),
        ("free", "graph", r"\$\([^@]"),
        ("place", "paren", r"In file [^\s:(]*\(\d+\)/"),
        ("place", "span", r"In file [^\s:(]*:\d+(?:~\d+)?, \d+~\d+/"),
        ("place", "line", r"In file [^\s:(]*:\d+/"),
        ("scope", "#scope: (", r"^ +#scope: \("),
        ("scope", "#scope: ", r"^ +#scope: [^(]"),
        ("scope", "# scope: (", r"^ +# scope: \("),
        ("scope", "# Scope: (", r"^ +# Scope: \("),
        ("fullname", "# fullname_with_scope: (", r"^ +# fullname_with_scope: \("),
        ("fullname", "# Fullname with scope: (", r"^ +# Fullname with scope: \("),
        ("fullname", ": (", r"^ +: \([^<>()]*\)$"),
        ("types_before", ":(", r"^ +:\("),
        ("types_before", ": (", r"^ +: \("),
        ("instances", True, r"^subgraph instance: "),
        ("param_prefix", "param_", r"^#\s+\d+: .*\[\d\]: param_"),
        ("parent", True, r"^subgraph @.* parent: \[subgraph @"),
        ("block_head", True, r"^subgraph @[^(]*\($"),
        ("parameters_line", True, r"^# Parameters: \d+, \("),
        ("candidate_dashes", True, r"^ +#  - In file"),
        ("candidate_dashes", False, r"^ +# Corresponding .*:\n +# (?:inlined:)?In file"),
        ("tell_default", True, r"  :  has_default"),
    )
)


_TYPED = re.compile(
    r"\b(?:I64|F32|Bool|I32|U8|F64|F16|Int64|Float32)\(-?[\d.e-]+\)|U?Monad\[I?[UO]\]"
    r"|^ +%\d+[^\"\n]*\((?:[^\"\n]*, )?\"[^\"\n]*\"[,)]",
    re.MULTILINE,
)
_UNTYPED = re.compile(
    r"^ +%\d+\(.*?\) = [^\s(]+\((?:[^\"(]*, )?(?:-?\d+|true|false|U|IO)[,)]"
    r"|[{,] [a-z_]\w*: (?:true|false|\d+|[A-Z]\w+)[,}]",
    re.MULTILINE,
)
"""Constants with and without their types: what most of a file shows is believed."""
_PRIOR = 3
"""How many constants the way a parameter is written counts for."""


def detect(document: Document) -> Dialect:
    """The dialect of a file."""
    text = "\n".join(_sample(document))
    facts: dict[str, Any] = {}
    for key, value, pattern in _SEEN:
        if key not in facts and pattern.search(text):
            facts[key] = value
    facts.update(_lines(document, text))
    typed, untyped = (sum(1 for _ in pattern.finditer(text)) for pattern in (_TYPED, _UNTYPED))
    if joint := facts.get("param_colon", facts.get("colon")):  # told since 2.5, as the types of constants
        typed, untyped = typed + _PRIOR * (joint == ": "), untyped + _PRIOR * (joint != ": ")
    if typed or untyped:
        facts["typed"] = typed >= untyped
    found = nearest(facts)
    return _plain(found, facts, text)


def _plain(found: Dialect, facts: dict[str, Any], text: str) -> Dialect:
    """Features the file does not show although it has nodes that would show them."""
    absent: dict[str, Any] = {}
    if "scope" not in facts:
        absent["scope"] = ""
    if "order" not in facts:
        absent["order"] = ""
    if "instances" not in facts and "\nsubgraph @" in text:
        absent["instances"] = False
    if "empty_place" not in facts:
        absent["empty_place"] = False
    if "param_prefix" not in facts and re.search(r"^#\s+\d+: @", text, re.MULTILINE):
        absent["param_prefix"] = ""
    if "parameters_line" not in facts:
        absent["parameters_line"] = False
    return differing(found, absent)


def _sample(document: Document) -> Iterable[str]:
    """Lines of all parts: the head, and of subgraphs spread over the file; each line of notes once."""
    lines = document.lines
    yield from islice(lines, min(document.head, _HEAD_LINES))
    blocks = document.blocks
    step = max(1, len(blocks) // _BLOCKS)
    budget = _CHARACTERS
    seen: set[str] = set()
    each = max(40, _LINES // max(1, min(len(blocks), _BLOCKS)))
    for block in blocks[::step]:
        body = block.close - block.body
        spread = [(block.start, block.body + min(body, each)), (max(block.close - each, block.body), block.end)]
        if body > 3 * each:
            middle = block.body + body // 2
            spread.insert(1, (middle, middle + each))
        for first, last in spread:
            for line in islice(lines, first, min(last, first + 4 * each)):
                if line.startswith("      #") and line in seen:
                    continue
                seen.add(line)
                budget -= len(line)
                if budget > 0:
                    yield line[:_WIDTH]
        if budget <= 0:
            return


def _lines(document: Document, text: str) -> dict[str, Any]:
    """Features of single lines: what joins names and values, spaces, the first node's number."""
    facts: dict[str, Any] = {}
    if match := re.search(r"^%para\d*[_ ].*?( ?: )<", text, re.MULTILINE):
        facts["param_colon"] = match[1]
    if match := re.search(r"^[A-Za-z_]\w*( ?: )\S*$", "\n".join(_attr_lines(document)), re.MULTILINE):
        facts["colon"] = match[1]
    for block in document.blocks[:8]:
        if block.body < block.close and (
            match := re.match(r"( +)(?:%(\d+)|[Rr]eturn|Prim)", document.lines[block.body])
        ):
            facts["indent"] = len(match[1])
            break
    numbers = [int(m[1]) for m in re.finditer(r"^subgraph @[^\n]*\{\n(?:\n#-+> \d+\n)?\s+%(\d+)", text, re.MULTILINE)]
    if numbers:
        facts["first_node"] = min(numbers) if min(numbers) < 2 else 0
    if re.search(r"^subgraph instance: .*\n\nsubgraph @", text, re.MULTILINE):
        facts["no_place"] = True
    elif re.search(r"^subgraph instance: .*\nsubgraph @", text, re.MULTILINE):
        facts["no_place"] = False
    for block in document.blocks:
        if (line := document.lines[min(block.close + 1, block.end - 1)]).lower() == "# order:":
            facts["order"] = line
            break
    if document.blocks:
        block = document.blocks[0]
        end = block.end
        gap = 0
        while end - gap - 1 > block.close and not document.lines[end - gap - 1]:
            gap += 1
        facts["gap"] = gap
    if re.search(r"^ {6}# $", text, re.MULTILINE):
        facts["empty_place"] = True
    return facts


def _attr_lines(document: Document) -> Iterable[str]:
    """Lines that may be attributes of the graph or of the first subgraphs."""
    within = False
    for line in document.lines[: document.head]:
        if re.fullmatch(r"# ?[Aa]ttrs\s*:|jit config \{", line):
            within = True
        elif line.startswith(("#", "%")) or not line:
            within = False
        elif within:
            yield line
    for block in document.blocks[:50]:
        within = False
        for line in document.lines[block.start : block.head]:
            if line == "subgraph attr:":
                within = True
            elif line.startswith(("#", "subgraph")) or not line:
                within = False
            elif within:
                yield line
