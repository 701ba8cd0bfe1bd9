"""The settings of `set_context`: one table of what each is, what it may be and where it applies.

Keys, types, ranges and defaults are those of MindSpore 1.1's context; where 2.x widened one
(save_graphs 0 to 3) both are taken. Keys that only 2.x has stand at the end. What both releases give
for every key is recorded in fixtures/ops/context_*.json, and a test holds this table to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from msdump.errors import MsdumpError
from msdump.runtime.profiling_options import parse_profiling_options

GRAPH_MODE = 0
"""Compile the whole network into a graph, then run it."""
PYNATIVE_MODE = 1
"""Run operator by operator."""

DEVICES = ("Ascend", "GPU", "CPU")
Effect = Literal["works", "kept"]


class ContextError(MsdumpError, RuntimeError):
    """A setting that cannot be changed now."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of set_context.

    Attributes:
        name: the key.
        types: types its value may have; a bool is no int.
        default: its value before it is set.
        meaning: one line.
        check: given the value, gives what is kept, or raises ValueError with the allowed values.
        devices: device targets MindSpore has it on; () is all.
        effect: "works": it does here what it does there; "kept": it is checked and kept, and a
            warning says once that it has no effect on the host.
        per_thread: each thread has its own value.
    """

    name: str
    types: tuple[type, ...]
    default: Any
    meaning: str
    check: Callable[[str, Any], Any] | None = None
    devices: tuple[str, ...] = ()
    effect: Effect = "works"
    per_thread: bool = False

    def checked(self, value: Any) -> Any:
        """The value to keep. TypeError or ValueError name the key, what is wanted and what was given."""
        check_type(self.name, value, self.types)
        return value if self.check is None else self.check(self.name, value)

    @property
    def ignored_elsewhere(self) -> bool:
        """True when it is ignored on a device that MindSpore does not have it on."""
        return bool(self.devices) and self.effect == "kept"


def check_type(name: str, value: Any, types: tuple[type, ...]) -> None:
    """Hold a value against the types of a key, where a bool is no int."""
    if (isinstance(value, bool) and bool not in types) or not isinstance(value, types):
        wanted = " or ".join("None" if t is type(None) else t.__name__ for t in types)
        raise TypeError(f"'{name}' should be of type {wanted}, but got {value!r} of type {type(value).__name__}")


def one_of(*allowed: Any) -> Callable[[str, Any], Any]:
    """A check that a value is among those allowed."""

    def check(name: str, value: Any) -> Any:
        if value not in allowed:
            raise ValueError(f"'{name}' should be one of {', '.join(map(repr, allowed))}, but got {value!r}")
        return value

    return check


def in_range(low: int, high: int | None) -> Callable[[str, Any], Any]:
    """A check that a number lies in a range, both ends included; no upper end when `high` is None."""

    def check(name: str, value: Any) -> Any:
        if isinstance(value, bool):
            return value
        if value < low or (high is not None and value > high):
            wanted = f"in the range [{low}, {high}]" if high is not None else f"at least {low}"
            raise ValueError(f"'{name}' should be {wanted}, but got {value}")
        return value

    return check


def _mode(name: str, value: int) -> int:
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"'{name}' should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), but got {value}")
    return value


def _device_target(name: str, value: str) -> str:
    one_of(*DEVICES, "Davinci")(name, value)
    return "Ascend" if value == "Davinci" else value


def _release(name: str, value: str) -> str:
    if not re.fullmatch(r"[12]\.\d{1,3}(\.\d{1,3})?", value):
        raise ValueError(f"'{name}' should be a release such as '2.10', '2.0' or '1.1', but got {value!r}")
    return value


def _folder(name: str, value: str) -> str:
    if not value.strip():
        raise ValueError(f"'{name}' should be the path of a folder, but got an empty string")
    return value


def _absolute_folder(name: str, value: str) -> str:
    # The folder that is meant now, wherever the process goes later; "." stays what it is by default.
    return value if value == "." else os.path.realpath(_folder(name, value))


def _options(**allowed: tuple[Any, ...]) -> Callable[[str, Any], Any]:
    def check(name: str, value: dict[str, Any]) -> dict[str, Any]:
        for key, chosen in value.items():
            one_of(*allowed)(f"a key of {name}", key)
            one_of(*allowed[key])(f"{name}[{key!r}]", chosen)
        return value

    return check


def _gigabytes(number: str, least_above: float, most: float | None) -> Callable[[str, Any], Any]:
    def check(name: str, value: str) -> str:
        if not re.fullmatch(number + "GB", value):
            raise ValueError(f"'{name}' should be a number followed by GB, such as \"5GB\", but got {value!r}")
        size = float(value[:-2])
        if size <= least_above or (most is not None and size > most):
            limit = f"above {least_above:g}GB" + ("" if most is None else f" and at most {most:g}GB")
            raise ValueError(f"'{name}' should be {limit}, but got {value!r}")
        return value

    return check


def _print_file_path(name: str, value: str | None) -> str:
    if value is not None and not value.strip():
        raise ValueError(f"'{name}' should be the path of a file, but got an empty string (None prints to the screen)")
    return value or ""


def _profiling_options(name: str, value: str) -> str:
    parse_profiling_options(value, name)
    return value


_JIT_OPTIONS = _options(jit_level=("O0", "O1", "O2"), infer_boost=("on", "off"))
_STR_OR_NONE = (str, type(None))
_SWITCH = (bool,)
_ASCEND = ("Ascend",)

TABLE: tuple[Setting, ...] = (
    Setting("mode", (int,), PYNATIVE_MODE, "run operator by operator, or compile the whole network", _mode),
    Setting("device_target", (str,), "CPU", "target device; recorded, operators run on the host", _device_target),
    Setting("device_id", (int,), 0, "physical number of the card", in_range(0, 4095)),
    Setting("save_graphs", (bool, int), False, "write .ir and .dot after each compile stage", in_range(0, 3)),
    Setting("save_graphs_path", (str,), ".", "folder of the saved graphs, made if missing", _absolute_folder),
    Setting("save_graphs_dialect", (str,), "2.10", "release whose text form saved graphs have", _release),
    Setting("print_file_path", _STR_OR_NONE, "", "file that Print writes to", _print_file_path, _ASCEND),
    Setting("enable_dump", _SWITCH, False, "operators dump their data", None, _ASCEND),
    Setting("save_dump_path", (str,), ".", "folder of the dumps", _folder, _ASCEND),
    Setting("enable_profiling", _SWITCH, False, "profile as profiling_options say", None, _ASCEND),
    Setting("profiling_options", (str,), "training_trace", "what to profile", _profiling_options, _ASCEND),
    Setting("max_call_depth", (int,), 1000, "limit of the depth of calls", in_range(1, None)),
    Setting("reserve_class_name_in_scope", _SWITCH, True, "class names in scopes", per_thread=True),
    Setting("precompile_only", _SWITCH, False, "compile the network and do not run it"),
    Setting("check_bprop", _SWITCH, False, "check gradients of operators", effect="kept"),
    Setting("enable_sparse", _SWITCH, False, "sparse gradients", effect="kept"),
    Setting("enable_graph_kernel", _SWITCH, False, "fuse operators", None, ("Ascend", "GPU"), "kept"),
    Setting("enable_reduce_precision", _SWITCH, True, "lower precision where needed", None, _ASCEND, "kept"),
    Setting("enable_auto_mixed_precision", _SWITCH, False, "mixed precision", None, _ASCEND, "kept"),
    Setting(
        "variable_memory_max_size", (str,), "0GB", "memory for variables", _gigabytes(r"\d+", 0, 31), _ASCEND, "kept"
    ),
    Setting(
        "max_device_memory",
        (str,),
        "1024GB",
        "memory of the device",
        _gigabytes(r"\d+(\.\d*)?", 0, None),
        ("GPU",),
        "kept",
    ),
    # Only 2.x has these.
    Setting("deterministic", (str,), "OFF", "the same result in every run", one_of("ON", "OFF"), effect="kept"),
    Setting("pynative_synchronize", _SWITCH, False, "wait for each operator", effect="kept"),
    Setting("grad_for_scalar", _SWITCH, False, "gradients of scalars", effect="kept"),
    Setting("enable_compile_cache", _SWITCH, False, "keep compiled graphs between runs", effect="kept"),
    Setting("compile_cache_path", (str,), "", "folder of compiled graphs", effect="kept"),
    Setting("memory_optimize_level", (str,), "O0", "reuse of memory", one_of("O0", "O1"), effect="kept"),
    Setting("memory_offload", (str,), "OFF", "move memory to the host", one_of("ON", "OFF"), effect="kept"),
    Setting("runtime_num_threads", (int,), 30, "threads of the runtime", in_range(0, None), effect="kept"),
    Setting("inter_op_parallel_num", (int,), 0, "operators run at once", in_range(0, None), effect="kept"),
    Setting("op_timeout", (int,), 900, "seconds one operator may take", in_range(0, None), effect="kept"),
    Setting("jit_syntax_level", (int,), 2, "how much of Python is compiled", one_of(0, 1, 2), effect="kept"),
    Setting("jit_config", (dict,), {}, "options of the compiler", _JIT_OPTIONS, effect="kept"),
    Setting("ascend_config", (dict,), {}, "options of Ascend", None, _ASCEND, "kept"),
    Setting("gpu_config", (dict,), {}, "options of GPU", None, ("GPU",), "kept"),
)
"""Every key of set_context, in the order the guide has them."""

SETTINGS: dict[str, Setting] = {setting.name: setting for setting in TABLE}
