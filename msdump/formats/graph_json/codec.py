"""The model as plain data for JSON, and back: one object a value, `kind` telling which.

A field of the model that is itself called kind ("Tuple", "Int64") is the key `type`. Fields that have
their usual value are left out. Tuples are lists, bytes base64, numbers that JSON
does not have are "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Callable
from typing import Any

from msdump.graph import abstract, node, value
from msdump.graph.graph import DetachedNode, NodeCounts, SymbolEngine
from msdump.graph.value import Attrs

KINDS: dict[str, type[Any]] = {
    # types
    "tensor_type": abstract.TensorType,
    "ref_type": abstract.RefType,
    "scalar_type": abstract.ScalarType,
    "sequence_type": abstract.SequenceType,
    "sequence_node": abstract.SequenceNode,
    "dict_type": abstract.DictType,
    "keyword_type": abstract.KeywordType,
    "func_type": abstract.FuncType,
    "monad_type": abstract.MonadType,
    "null_type": abstract.NullType,
    "opaque_type": abstract.OpaqueType,
    "device_type": abstract.DeviceType,
    # constants
    "scalar": value.Scalar,
    "string": value.Str,
    "none": value.NoneValue,
    "type": value.TypeValue,
    "monad": value.Monad,
    "tensor": value.TensorValue,
    "sequence": value.Sequence,
    "dict": value.DictValue,
    "named": value.Named,
    "opaque": value.Opaque,
    # operands and the rest
    "node": node.NodeRef,
    "graph": node.GraphRef,
    "constant": node.ValueNode,
    "signature": node.Signature,
    "location": node.Location,
    "detached_node": DetachedNode,
    "counts": NodeCounts,
    "symbol_engine": SymbolEngine,
}
"""What `kind` may be, and the class of the model that it stands for."""
_TAGS = {cls: tag for tag, cls in KINDS.items()}
_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


_FIELDS = {cls: tuple((f.name, f.default) for f in dataclasses.fields(cls)) for cls in KINDS.values()}
"""The fields of each class with their usual values (MISSING where there is none)."""


def encode(thing: Any) -> Any:
    """A value of the model as plain data."""
    if thing is None or isinstance(thing, (bool, int, str)):
        return thing
    if isinstance(thing, float):
        if math.isfinite(thing):
            return thing
        return {"float": "NaN" if math.isnan(thing) else "Infinity" if thing > 0 else "-Infinity"}
    if isinstance(thing, bytes):
        return {"base64": base64.b64encode(thing).decode("ascii")}
    if isinstance(thing, (tuple, list)):
        return [encode(item) for item in thing]
    if isinstance(thing, Attrs):
        return {"attrs": {key: encode(item) for key, item in thing.items()}}
    tag = _TAGS[type(thing)]
    data: dict[str, Any] = {"kind": tag}
    for name, usual in _FIELDS[type(thing)]:
        item = getattr(thing, name)
        if item is usual or (usual is not dataclasses.MISSING and type(item) is type(usual) and item == usual):
            continue
        data["type" if name == "kind" else name] = encode(item)
    return data


def decode(data: Any) -> Any:
    """The value that plain data stands for. KeyError, TypeError or ValueError when it is none."""
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, dict):
        return data
    if "kind" not in data:
        if "float" in data:
            return _FLOATS[data["float"]]
        if "base64" in data:
            return base64.b64decode(data["base64"], validate=True)
        return Attrs({str(key): decode(item) for key, item in data["attrs"].items()})
    cls = KINDS[data["kind"]]
    known = dict(_FIELDS[cls])
    given = {"kind" if key == "type" else key: decode(item) for key, item in data.items() if key != "kind"}
    make: Callable[..., Any] = cls
    return make(**{key: item for key, item in given.items() if key in known})
