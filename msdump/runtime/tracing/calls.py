"""Calls of functions and methods while a network is recorded."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from msdump.errors import TraceError
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.session import current
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.iteration import TracedRange
from msdump.runtime.tracing.ownership import check_change, made, refuse_outside
from msdump.runtime.tracing.recorder import Recorder, active
from msdump.runtime.tracing.rewrite import rewrite
from msdump.runtime.tracing.traced import Traced


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call anything; a function of the user's is rewritten first, and `print` prints when run."""
    if function is print:
        return active().record_print(arguments)
    if function is range and any(isinstance(a, Traced) for a in arguments):
        return TracedRange.of(*arguments)
    if function is type and len(arguments) == 1 and isinstance(arguments[0], Traced):
        return Tensor
    if function is Tensor and arguments and isinstance(arguments[0], (Traced, Parameter)):
        return tensor_of(*arguments, **keywords)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        return run_function(function.__func__, (function.__self__, *arguments), keywords)
    if isinstance(function, types.FunctionType):
        return run_function(function, arguments, keywords)
    try:
        found = function(*arguments, **keywords)
    except TraceError:
        recorder = active()
        operands = tuple(recorder.operand(a)[0] for a in arguments if isinstance(a, Traced))
        recorder.at_fault(_title(function), operands)
        raise
    return made(found) if type(found) in (list, dict, set) else found


def _title(function: Any) -> str:
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{module}.{name}" if module and module != "builtins" else str(name)


def call_method(holder: Any, name: str, own: bool, *arguments: Any, **keywords: Any) -> Any:
    """Call a method that changes its object when that is a list, dict or set; `own`: it is held by a
    name of the function.
    """
    if type(holder) in (list, dict, set):
        if not own:
            refuse_outside(holder)
        check_change(holder)
    return call(getattr(holder, name), *arguments, **keywords)


def run_function(function: types.FunctionType, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
    """Call a function, rewritten."""
    made = traceable(function)
    with active().deeper():
        return made(*arguments, **keywords)


def traceable(function: types.FunctionType) -> types.FunctionType:
    """A function as it is recorded: the user's rewritten, a library's as it is."""
    recorder = active()
    if not _is_users(function):
        return function
    known = current().rewritten
    found = known.get(function)
    if found is None:
        found = known[function] = rewrite(function, recorder.flow) or function
    _note_code(recorder, found.__code__)
    return found


def _is_users(function: types.FunctionType) -> bool:
    # Layers of msdump decide nothing by tensors, and functions made here are rewritten already.
    module = function.__globals__.get("__name__", "")
    return not module.startswith("msdump.") and "_msdump_flow" not in function.__code__.co_freevars


def _note_code(recorder: Recorder, code: types.CodeType) -> None:
    if code in recorder.codes:
        return
    recorder.codes.add(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _note_code(recorder, inner)


def tensor_of(data: Tensor, dtype: Any = None) -> Tensor:
    """`Tensor(data)` of a tensor: its value now, in another type if one is asked for."""
    made: Tensor = active().record(Primitive("Identity"), (data,))
    return made if dtype is None else made.astype(dtype)
