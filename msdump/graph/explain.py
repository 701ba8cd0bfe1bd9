"""Why a compilation failed, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from msdump.graph.abstract import Abstract, RefType, TensorType
from msdump.graph.failure import Argument, Failure, find_failure
from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import file_label, graph_label
from msdump.graph.node import CALL_VAR, CNode, GraphRef, NodeRef, ValueNode
from msdump.graph.text import type_text, value_text
from msdump.graph.value import Scalar
from msdump.numerals import integer


@dataclass(frozen=True, slots=True)
class Explanation:
    """A failure and what it means.

    Attributes:
        failure: the node at fault and how control got there.
        kind: "arguments", "shape", "dtype", "branches", "unsupported", "name", "other".
        why: one sentence in plain words.
        details: further lines, such as what each branch returns.
        advice: what can be done, or "".
    """

    failure: Failure
    kind: str
    why: str
    details: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class _Case:
    graph: Graph
    failure: Failure
    message: str
    tensors: tuple[TensorType, ...]

    @property
    def op(self) -> str:
        return self.failure.op


def explain(graph: Graph, log: str = "") -> Explanation:
    """What went wrong in a failed compilation.

    Args:
        graph: read from analyze_fail.ir or analyze_fail.dat.
        log: the text of the error message, where the file does not hold it (1.x, 2.0).

    Raises:
        GraphError: no node carries a failure mark.
    """
    failure = find_failure(graph, log)
    tensors = tuple(t for a in failure.arguments if (t := _tensor(a.abstract)) is not None)
    case = _Case(graph, failure, failure.message, tensors)
    for rule in _RULES:
        found = rule(case)
        if found is not None:
            return found
    why = failure.message.split("\n")[0] or f"{failure.op} cannot be evaluated with these operands"
    return Explanation(failure, "other", why)


def _tensor(abstract: Abstract) -> TensorType | None:
    if isinstance(abstract, RefType):
        return _tensor(abstract.tensor)
    return abstract if isinstance(abstract, TensorType) else None


def _shape(tensor: TensorType) -> tuple[int, ...]:
    return tensor.shape or ()


def _arguments(case: _Case) -> Explanation | None:
    match = re.search(
        r"parameters? number of the function is ([0-9]{1,18}).*?arguments is ([0-9]{1,18})", case.message, re.DOTALL
    )
    want, given = (int(match[1]), int(match[2])) if match else (-1, -1)
    node = case.failure.node
    if not match and isinstance(node.callee, GraphRef) and node.callee.name in case.graph.funcs:
        want, given = len(case.graph.funcs[node.callee.name].parameters), len(node.inputs)
    if want == given:
        return None
    takes = f"{want} argument{'' if want == 1 else 's'}"
    named = re.search(r"FunctionGraph ID ?: ?(\S+)", case.message)
    name = graph_label(named[1]) if named else case.op
    details = []
    lines = case.message.split("\n")
    for number, line in enumerate(lines):
        defined = re.match(r"NodeInfo: In file (.+?)[:(](\d+)", line)
        if defined:
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            details.append(f"defined at {file_label(defined[1])}:{defined[2]}   {code}".rstrip())
    return Explanation(
        case.failure,
        "arguments",
        f"{name} takes {takes}, {given} are given (self not counted)",
        tuple(details),
        "give as many arguments as the definition names",
    )


def _branches(case: _Case) -> Explanation | None:
    join = re.search(r"(Type|Shape|Dtype|Value|Abstract) Join Failed|[Cc]annot join", case.message)
    node = case.failure.node
    made = _switch(case)
    if not join and (made is None or node.op != CALL_VAR or case.message):
        return None
    details = _branch_lines(case, made)
    what = (
        "types"
        if join is None or join[1] in (None, "Type", "Abstract")
        else {"Shape": "shapes", "Dtype": "dtypes"}.get(join[1], "values")
    )
    kinds = re.search(r"Abstract type (\w+) cannot join with (\w+)", case.message)
    tail = f": {_plain(kinds[1])} and {_plain(kinds[2])}" if kinds else ""
    loop = any("while" in d or "for " in d for d in details) or "while" in (
        case.failure.place.code if case.failure.place else ""
    )
    where = "a loop's body changes" if loop else "the branches of this if return"
    why = f"{where} values of different {what}{tail}" if not loop else f"{where} the {what[:-1]} of a value{tail}"
    return Explanation(
        case.failure, "branches", why, tuple(details), "make every branch return the same type, dtype and shape"
    )


def _plain(word: str) -> str:
    return word.removeprefix("Abstract").lower()


def _switch(case: _Case) -> CNode | None:
    callee = case.failure.node.callee
    if isinstance(callee, NodeRef):
        made = GraphIndex(case.graph).producer(case.failure.func.name, callee)
        if isinstance(made, CNode) and made.op in ("Switch", "switch"):
            return made
    return None


def _branch_lines(case: _Case, switch: CNode | None) -> list[str]:
    """What each branch returns: by the graphs in the file, else by the message."""
    lines = []
    index = GraphIndex(case.graph)
    refs = [o for o in switch.inputs[1:] if isinstance(o, GraphRef)] if switch is not None else []
    for word, ref in zip(("true branch", "false branch"), refs, strict=False):
        func = case.graph.funcs.get(ref.name)
        returned = _returned(index, func) if func is not None else ""
        if returned:
            lines.append(f"{word}: {returned}")
    if lines:
        return lines
    for word, file, line, code in re.findall(
        r"(true branch|false branch): \S+\s+In file (.+?)[:(](\d+)[^\n]*\n\s*([^\n^]+)", case.message
    ):
        lines.append(f"{word}: {file_label(file)}:{line}   {code.strip()}")
    return lines


def _returned(index: GraphIndex, func: FuncGraph) -> str:
    node = func.nodes[-1] if func.nodes else None
    if node is None or not node.inputs:
        return ""
    operand = node.inputs[0]
    place = own_line(node)
    made = index.producer(func.name, operand) if isinstance(operand, NodeRef) else None
    text = value_text(operand.value) if isinstance(operand, ValueNode) else ""
    if made is not None:
        kind = type_text(made.abstract)
        if not kind and isinstance(made, CNode) and made.op == "MakeTuple":
            kind = f"a tuple of {len(made.inputs)}"
        text = kind or text
        place = place or (own_line(made) if isinstance(made, CNode) else None)
    where = f"{file_label(place.file)}:{place.line}   {place.code.strip()}" if place is not None else ""
    return "   ".join(part for part in (text, where) if part)


def _attribute(case: _Case) -> Explanation | None:
    match = re.search(r"'?(\w+)'? object has no attribute '?(\w+)'?", case.message)
    owner, name = (match[1], match[2]) if match else ("", "")
    node = case.failure.node
    if not match and node.op == "getattr" and len(node.inputs) == 2:
        owner = case.failure.arguments[0].type.split(" ")[0] or "the object"
        name = case.failure.arguments[1].value.strip('"')
    if not name:
        return None
    return Explanation(
        case.failure,
        "unsupported",
        f"{owner} has no attribute {name}: in a compiled graph only MindSpore's own methods can be called on it",
        (),
        f"use an operator in place of .{name}, or compute it outside of construct",
    )


def _undefined(case: _Case) -> Explanation | None:
    match = re.search(r"[Nn]ame '(\w+)' is not defined|'(\w+)' is not defined", case.message)
    if match is None:
        return None
    name = match[1] or match[2]
    return Explanation(case.failure, "name", f"the name {name} is not defined where construct uses it", (), "")


def _matmul(case: _Case) -> Explanation | None:
    if case.op not in ("MatMul", "BatchMatMul", "matmul", "Dense") or len(case.tensors) < 2:
        return None
    x, y = _shape(case.tensors[0]), _shape(case.tensors[1])
    if len(x) < 2 or len(y) < 2:
        return None
    inner = _flag(case, "transpose_a", "transpose_x1"), _flag(case, "transpose_b", "transpose_x2")
    left = x[-2] if inner[0] else x[-1]
    right = y[-1] if inner[1] else y[-2]
    if left == right or min(left, right) < 0:
        return None
    told = re.search(r"'x1_col':? ?([0-9]{1,18}) and 'x2_row':? ?([0-9]{1,18})", case.message)
    if told:
        left, right = int(told[1]), int(told[2])
    return Explanation(
        case.failure,
        "shape",
        f"inner dimensions differ: {left} and {right}",
        (),
        "transpose one of them, or change a layer's size",
    )


def _flag(case: _Case, *keys: str) -> bool:
    for key in keys:
        value = case.failure.node.primitive_attrs.get(key)
        if isinstance(value, Scalar) and value.value:
            return True
    return bool(re.search(rf"{keys[0]}=True", case.message))


def _conv(case: _Case) -> Explanation | None:
    if not case.op.startswith(("Conv2D", "Conv3D", "Conv1D", "conv")) or len(case.tensors) < 2:
        return None
    x, w = _shape(case.tensors[0]), _shape(case.tensors[1])
    group = re.search(r"'group':? ?([0-9]{1,18})", case.message)
    groups = int(group[1]) if group else 1
    if len(x) < 3 or len(w) < 3 or x[1] == w[1] * groups:
        return None
    why = f"the input has {x[1]} channels, the weight is for {w[1] * groups}"
    return Explanation(case.failure, "shape", why, (), f"the layer's in_channels must be {x[1]}")


def _broadcast(case: _Case) -> Explanation | None:
    known = case.op.lower().removesuffix("ext") in _ELEMENTWISE or "broadcast" in case.message
    if not known or len(case.tensors) < 2:
        return None
    x, y = _shape(case.tensors[0]), _shape(case.tensors[1])
    for back in range(1, min(len(x), len(y)) + 1):
        p, q = x[-back], y[-back]
        if p != q and 1 not in (p, q) and min(p, q) >= 0:
            at = "the last dimension" if back == 1 else f"dimension {back} from the end"
            return Explanation(
                case.failure, "shape", f"shapes {_sizes(x)} and {_sizes(y)} do not broadcast: {p} and {q} in {at}"
            )
    return None


_ELEMENTWISE = frozenset(
    {
        "add",
        "sub",
        "mul",
        "div",
        "realdiv",
        "floordiv",
        "pow",
        "maximum",
        "minimum",
        "less",
        "lessequal",
        "greater",
        "greaterequal",
        "equal",
        "notequal",
        "mod",
    }
)


def _sizes(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"


def _reshape(case: _Case) -> Explanation | None:
    if case.op.lower() != "reshape" or not case.tensors:
        return None
    size = 1
    for extent in _shape(case.tensors[0]):
        size *= extent
    wanted = case.failure.arguments[1].value if len(case.failure.arguments) > 1 else ""
    numbers = [n for n in map(integer, re.findall(r"-?\d+", wanted)) if n is not None]
    product = 1
    for number in numbers:
        product *= number
    if not numbers or -1 in numbers or product == size:
        return None
    return Explanation(case.failure, "shape", f"{size} elements do not fit into {wanted}, which has {product}")


_DTYPE_MESSAGE = re.compile(
    r"(?:must be|should be) (?:the )?same (?:data ?)?(?:type|dtype)|[Tt]ype.{0,40}not (?:the )?same"
    r"|unsupported (?:data )?type|type of .{0,60}should be one of",
    re.IGNORECASE,
)


def _dtypes(case: _Case) -> Explanation | None:
    told = _DTYPE_MESSAGE.search(case.message)
    if told is None:
        return None
    kinds = list(dict.fromkeys(t.dtype for t in case.tensors))
    tail = f": {' and '.join(kinds)}" if len(kinds) > 1 else f": {kinds[0]}" if kinds else ""
    if len(kinds) > 1:
        return Explanation(
            case.failure, "dtype", f"{case.op} takes operands of one dtype{tail}", (), "cast one of them"
        )
    return Explanation(case.failure, "dtype", f"{case.op} does not take this dtype{tail}")


def _operator_types(case: _Case) -> Explanation | None:
    """An operator of Python on things it is not defined for, such as the comparison of tuples."""
    if case.failure.node.op_kind not in ("S-Prim", "MetaFuncGraph", "MultitypeFuncGraph", "DoSignaturePrimitive"):
        return None
    kinds = [_kind(argument) for argument in case.failure.arguments]
    if case.message or not kinds or all(k.startswith("Tensor") for k in kinds):
        return None
    return Explanation(
        case.failure,
        "unsupported",
        f"{case.op} is not defined for {' and '.join(kinds)} in a compiled graph",
        (),
        "compute it outside of construct, where Python runs it",
    )


def _kind(argument: Argument) -> str:
    if argument.type.startswith("("):
        return "a tuple"
    if argument.type.startswith("["):
        return "a list"
    return argument.type or argument.value or argument.name


_RULES: tuple[Callable[[_Case], Explanation | None], ...] = (
    _branches,
    _arguments,
    _attribute,
    _undefined,
    _matmul,
    _conv,
    _reshape,
    _broadcast,
    _dtypes,
    _operator_types,
)
