"""profiling_options of the context: what to profile and where it goes.

Two forms, both of MindSpore's guide: the JSON object of 1.1,
`{"result_path": "/home/data/output", "training_trace": "on"}`, and the older names joined by colons,
`training_trace:task_trace`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

TRACES = ("training_trace", "task_trace", "aicpu_trace")
AI_CORE_METRICS = ("ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0", "ResourceConflictRatio")
_OLDER = (*TRACES, "op_trace")
_KEYS = ("result_path", *TRACES, "aicpu", "fp_point", "bp_point", "ai_core_metrics")


@dataclass(frozen=True, slots=True)
class ProfilingOptions:
    """What profiling_options ask for.

    Attributes:
        result_path: folder the results go to; relative to the working directory unless absolute.
        training_trace: time of iterations, forward, backward and the gap between.
        task_trace: time of each operator.
        aicpu_trace: time of feeding data.
        fp_point: operator the forward pass starts at; "" when it is to be found.
        bp_point: operator the backward pass ends at; "" when it is to be found.
        ai_core_metrics: hardware counters asked for, or "" when none were; the host has none.
    """

    result_path: str = "."
    training_trace: bool = False
    task_trace: bool = False
    aicpu_trace: bool = False
    fp_point: str = ""
    bp_point: str = ""
    ai_core_metrics: str = ""


def parse_profiling_options(text: str, name: str = "profiling_options") -> ProfilingOptions:
    """Read and check profiling_options.

    Raises ValueError that names the option, what was given and what is allowed; TypeError when an
    option of the JSON form is not a string.
    """
    if text.lstrip().startswith("{"):
        return _from_json(text, name)
    names = [part.strip() for part in text.split(":")]
    for part in names:
        if part not in _OLDER:
            raise ValueError(f"'{name}' should be JSON, or {', '.join(_OLDER)} joined by ':', but got {part!r}")
    return ProfilingOptions(
        training_trace="training_trace" in names,
        task_trace="task_trace" in names or "op_trace" in names,
        aicpu_trace="aicpu_trace" in names,
    )


def _from_json(text: str, name: str) -> ProfilingOptions:
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"'{name}' is not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"'{name}' is not valid JSON: it nests too deeply") from None
    for key, value in found.items():
        if key not in _KEYS:
            raise ValueError(f"'{name}' has the unknown option {key!r}; it may have {', '.join(_KEYS)}")
        if not isinstance(value, str):
            raise TypeError(
                f"'{name}': {key!r} should be of type str, but got {value!r} of type {type(value).__name__}"
            )
    metrics = found.get("ai_core_metrics", "")
    if metrics and metrics not in AI_CORE_METRICS:
        allowed = ", ".join(AI_CORE_METRICS)
        raise ValueError(f"'{name}': 'ai_core_metrics' should be one of {allowed}, but got {metrics!r}")
    return ProfilingOptions(
        result_path=_result_path(found.get("result_path", "."), name),
        training_trace=_switch(found, "training_trace", name),
        task_trace=_switch(found, "task_trace", name),
        aicpu_trace=_switch(found, "aicpu_trace", name) or _switch(found, "aicpu", name),
        fp_point=found.get("fp_point", ""),
        bp_point=found.get("bp_point", ""),
        ai_core_metrics=metrics,
    )


def _switch(found: dict[str, str], key: str, name: str) -> bool:
    value = found.get(key, "off")
    if value not in ("on", "off"):
        raise ValueError(f"'{name}': {key!r} should be 'on' or 'off', but got {value!r}")
    return value == "on"


def _result_path(path: str, name: str) -> str:
    if not os.path.isdir(path):
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise ValueError(f"'{name}': 'result_path' {path!r} {what}; it should be a folder that can be written to")
    if not os.access(path, os.W_OK | os.X_OK):
        raise ValueError(f"'{name}': 'result_path' {path!r} cannot be written to")
    return path
