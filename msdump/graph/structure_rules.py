"""Reasons that the structure of the failed graph gives: its calls, branches and looked-up names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from msdump.graph.abstract import DictType, KeywordType
from msdump.graph.definition import find_definition
from msdump.graph.failure import Argument, Failure
from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.names import file_label, graph_label
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, ValueNode
from msdump.graph.reason import Reason
from msdump.graph.text import type_text, value_text
from msdump.graph.trail import Trail
from msdump.graph.value import Str

Sources: TypeAlias = "Callable[[str], str | None]"
"""Path of a source file, as a graph has it → its text; None when it is not there."""
Rule: TypeAlias = "Callable[[Graph, Failure, Sources], Reason | None]"

_JOIN = re.compile(r"(Type|Shape|Dtype|Value|Abstract) Join Failed|[Cc]annot join")
_BRANCH_IN_MESSAGE = re.compile(r"(true branch|false branch): \S+\s+In file (.+?)[:(](\d+)[^\n]*\n\s*([^\n^]+)")
_JOINED = {"Shape": "shapes", "Dtype": "dtypes", "Value": "values"}
_COUNTED = re.compile(r"parameters? number of the function is ([0-9]{1,9}).*?arguments is ([0-9]{1,9})", re.DOTALL)
_CONTAINERS = {"MakeTuple": "a tuple", "MakeList": "a list", "make_list": "a list", "make_dict": "a dictionary"}
_GIVE_AS_DEFINED = "give as many arguments as the definition names"
_PYTHON_OPERATORS = ("S-Prim", "MetaFuncGraph", "MultitypeFuncGraph", "DoSignaturePrimitive")


def no_sources(path: str) -> str | None:
    """No source file is at hand."""
    return None


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# Calls


def _arguments(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """A call that gives more or fewer arguments than its callee takes."""
    match = _COUNTED.search(failure.message)
    node = failure.node
    assert node is not None
    if match is not None:
        named = re.search(r"FunctionGraph ID ?: ?(\S+)", failure.text.text)
        name = graph_label(named[1]) if named else failure.op
        return _miscounted(name, int(match[1]), int(match[2]), _defined_at(failure))
    if isinstance(node.callee, GraphRef) and node.callee.name in graph.funcs:
        want = len(graph.funcs[node.callee.name].parameters)
        return None if want == len(node.inputs) else _miscounted(failure.op, want, len(node.inputs), ())
    return _by_definition(failure, sources) if node.op in (CALL, CALL_VAR) else None


def _miscounted(name: str, want: int, given: int, details: tuple[str, ...]) -> Reason | None:
    why = f"{name} takes {_count(want, 'argument')}, {given} {'is' if given == 1 else 'are'} given (self not counted)"
    return Reason("arguments", why, details, advice=_GIVE_AS_DEFINED)


def _defined_at(failure: Failure) -> tuple[str, ...]:
    """Where the message says that the callee is defined."""
    lines = failure.text.text.split("\n")
    for number, line in enumerate(lines):
        match = re.match(r"NodeInfo: In file (.+?)[:(](\d+)", line)
        if match:
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            return (f"defined at {file_label(match[1])}:{match[2]}   {code}".rstrip(),)
    return ()


def _by_definition(failure: Failure, sources: Sources) -> Reason | None:
    """What the user's source says that the callee takes, where that source is the one that was compiled."""
    place = failure.place
    source = sources(place.file) if place is not None else None
    if place is None or source is None:
        return None
    lines = source.splitlines()
    if place.line > len(lines) or (place.code and lines[place.line - 1].strip() != place.code):
        return None
    defined = find_definition(source, failure.op, place.line)
    given = len(failure.arguments)
    if defined is None or defined.takes(given):
        return None
    takes = _count(len(defined.parameters), "argument")
    named = f" ({', '.join(defined.parameters)})" if defined.parameters else ""
    passed = f"{given} {'is' if given == 1 else 'are'} given ({_passed(failure)})"
    where = f"defined at {file_label(place.file)}:{defined.line}   {lines[defined.line - 1].strip()}"
    why = f"{failure.op} takes {takes}{named}, {passed}; self is not counted"
    return Reason("arguments", why, (where,), advice=_GIVE_AS_DEFINED)


def _passed(failure: Failure) -> str:
    return ", ".join(a.name or str(a) for a in failure.arguments)


def refused_call(failure: Failure) -> Reason | None:
    """A call that was refused before its callee was entered: a graph that was entered has a mark of its own."""
    node = failure.node
    if node is None or node.op != CALL:
        return None
    given = len(failure.arguments)
    passed = f"the call passes {_count(given, 'argument')}" + (f" ({_passed(failure)})" if given else "")
    name = failure.op
    causes = (
        f"{name} takes another number of arguments than {given} (self is not counted): `--source DIR` looks it up",
        f"an argument is given by a name that {name} does not have",
        f"the definition of {name} has something that a graph cannot be made of",
    )
    why = f"{passed} and was refused before {name} was entered; what {name} takes is not in this file"
    return Reason("arguments", why, causes=causes, certain=False)


# Branches


def _branches(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """Branches whose results cannot be joined."""
    join = _JOIN.search(failure.message)
    node, trail = failure.node, failure.trail
    assert node is not None
    assert trail is not None
    switch = _switch(failure, trail)
    if not join and (switch is None or node.op != CALL_VAR or failure.message):
        return None
    details = _branch_lines(graph, failure, trail, switch)
    kinds = re.search(r"Abstract type (\w+) cannot join with (\w+)", failure.text.text)
    tail = f": {_plain(kinds[1])} and {_plain(kinds[2])}" if kinds else ""
    what = "types" if join is None or join[1] is None else _JOINED.get(join[1], "types")
    code = failure.place.code if failure.place else ""
    if "while" in code or any("while" in d or "for " in d for d in details):
        why = f"a loop's body changes the {what[:-1]} of a value{tail}"
    else:
        why = f"the branches of this if return values of different {what}{tail}"
    return Reason("branches", why, tuple(details), advice="make every branch return the same type, dtype and shape")


def _plain(word: str) -> str:
    return word.removeprefix("Abstract").lower()


def _switch(failure: Failure, trail: Trail) -> CNode | None:
    assert failure.node is not None
    assert failure.func is not None
    made = trail.made(failure.func, failure.node.callee)[1]
    return made if isinstance(made, CNode) and made.op in ("Switch", "switch") else None


def _branch_lines(graph: Graph, failure: Failure, trail: Trail, switch: CNode | None) -> list[str]:
    """What each branch returns: by the graphs in the file, else by the message."""
    refs = [o for o in switch.inputs[1:] if isinstance(o, GraphRef)] if switch is not None else []
    found = []
    for word, ref in zip(("true branch", "false branch"), refs, strict=False):
        func = graph.funcs.get(ref.name)
        returned = _returned(trail, func) if func is not None else ""
        if returned:
            found.append(f"{word}: {returned}")
    if found:
        return found
    told = re.findall(
        r"(true branch|false branch): \S+\s+In file (.+?)[:(](\d+)[^\n]*\n\s*([^\n^]+)", failure.text.text
    )
    return [f"{word}: {file_label(file)}:{line}   {code.strip()}" for word, file, line, code in told]


def _returned(trail: Trail, func: FuncGraph) -> str:
    node = func.nodes[-1] if func.nodes else None
    if node is None or not node.inputs:
        return ""
    operand = node.inputs[0]
    place = own_line(node)
    made = trail.index.producer(func.name, operand) if isinstance(operand, NodeRef) else None
    text = value_text(operand.value) if isinstance(operand, ValueNode) else ""
    if made is not None:
        kind = type_text(made.abstract)
        if not kind and isinstance(made, CNode) and made.op == "MakeTuple":
            kind = f"a tuple of {len(made.inputs)}"
        text = kind or text
        place = place or (own_line(made) if isinstance(made, CNode) else None)
    where = f"{file_label(place.file)}:{place.line}   {place.code.strip()}" if place is not None else ""
    return "   ".join(part for part in (text, where) if part)


# Names, and what Python can do and a graph cannot


def _looked_up(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """A name, a method or a key that is not there."""
    node = failure.node
    if node is None or failure.message or len(failure.arguments) != 2:
        return None
    owner, key = failure.arguments
    name = key.value.value if isinstance(key.value, Str) else str(key)
    if node.op == "resolve":
        member = "ClassMember" in str(owner)
        return Reason("name", f"self has no attribute {name}" if member else f"the name {name} is not defined")
    if node.op == "getattr":
        return Reason(
            "unsupported",
            f"{owner.type.split(' ')[0] or 'the object'} has no attribute {name}: in a compiled graph only MindSpore's "
            "own methods can be called on it",
            advice="use an operator in its place, or compute it outside of construct",
        )
    if failure.op == "dict_getitem" and isinstance(owner.abstract, DictType) and name not in owner.abstract.keys:
        return Reason("value", f"the dictionary has no key {name}", (f"it has {', '.join(owner.abstract.keys)}",))
    return None


def _raised(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """The user's own `raise`."""
    if failure.op != "raise":
        return None
    words = [a.value.value for a in failure.arguments if a.value is not None and isinstance(a.value, Str)]
    error, message = failure.text.error or (words or ["an error"])[0], failure.message or ", ".join(words[1:2])
    return Reason("raised", f"construct raises {error}: {message}".removesuffix(": "))


def _uncallable(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """A call of something that is no function."""
    node, trail, func = failure.node, failure.trail, failure.func
    if node is None or trail is None or func is None or node.op != CALL_VAR:
        return None
    made = trail.made(func, node.callee)[1]
    if isinstance(made, CNode) and made.op in _CONTAINERS:
        return Reason("unsupported", f"{failure.op} is {_CONTAINERS[made.op]}, which cannot be called")
    return None


def _operator_types(graph: Graph, failure: Failure, sources: Sources) -> Reason | None:
    """An operator of Python on things it is not defined for, such as the comparison of tuples."""
    if failure.node is None or failure.node.op_kind not in _PYTHON_OPERATORS or not failure.op[:1].islower():
        return None
    named = [a.abstract.key for a in failure.arguments if isinstance(a.abstract, KeywordType)]
    if named and not failure.message:
        return Reason("arguments", f"{failure.op} takes no argument by the name {named[0]}")
    kinds = [_kind(argument) for argument in failure.arguments]
    if failure.message or not kinds or all(k.startswith("Tensor") for k in kinds):
        return None
    return Reason(
        "unsupported",
        f"{failure.op} is not defined for {' and '.join(kinds)} in a compiled graph",
        advice="compute it outside of construct, where Python runs it",
    )


def _kind(argument: Argument) -> str:
    if argument.type.startswith("("):
        return "a tuple"
    if argument.type.startswith("["):
        return "a list"
    if argument.type.startswith("{"):
        return "a dictionary"
    return argument.type or str(argument)


STRUCTURE_RULES: tuple[Rule, ...] = (_raised, _branches, _arguments, _looked_up, _uncallable, _operator_types)
