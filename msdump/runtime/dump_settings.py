"""What to dump: the JSON file that MINDSPORE_DUMP_CONFIG names, checked key by key.

The keys and their ranges are those of MindSpore's documentation of dump in graph mode
(1.0 to 2.10): `common_dump_settings` with either `e2e_dump_settings` (synchronous) or
`async_dump_settings`. Every complaint names the key, what it holds and what is allowed, at the
key's line in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msdump.errors import ParseError
from msdump.json_text import parse_json
from msdump.source import TextPlace

STATISTICS = (
    "max",
    "min",
    "avg",
    "count",
    "negative zero count",
    "positive zero count",
    "nan count",
    "negative inf count",
    "positive inf count",
    "zero count",
    "l2norm",
    "md5",
)
"""Names of `statistic_category`, in the order of statistic.csv's columns."""

DEFAULT_STATISTICS = ("max", "min", "l2norm")

_REGEX_KERNEL = re.compile(r"name-regex\((.*)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DumpSettings:
    """A checked dump configuration.

    Attributes:
        path: folder that receives `rank_<n>/`.
        net_name: folder below the rank's.
        iterations: ranges of iterations from 0, both ends included; None is every iteration.
        dump_mode: 0 every operator, 1 those of `kernels`, 2 those of cells marked by set_dump.
        kernels: full names with scope, operator types, or `name-regex(…)`; for dump_mode 1.
        io: what of an operator is saved.
        saved_data: tensors, their statistics, or both ("full").
        devices: device ids that dump; None is all of them.
        statistics: columns of statistic.csv, names of STATISTICS.
        file_format: "npy" or "bin".
        asynchronous: True for `async_dump_settings`.
        overflow_only: only operators whose output has NaN or inf (op_debug_mode 1 to 3).
    """

    path: str
    net_name: str = "Net"
    iterations: tuple[tuple[int, int], ...] | None = None
    dump_mode: int = 0
    kernels: tuple[str, ...] = ()
    io: frozenset[Literal["input", "output"]] = frozenset({"input", "output"})
    saved_data: Literal["tensor", "statistic", "full"] = "tensor"
    devices: frozenset[int] | None = None
    statistics: tuple[str, ...] = DEFAULT_STATISTICS
    file_format: Literal["npy", "bin"] = "npy"
    asynchronous: bool = False
    overflow_only: bool = False

    def wants_iteration(self, iteration: int) -> bool:
        """Whether an iteration, counted from 0, is dumped."""
        return self.iterations is None or any(first <= iteration <= last for first, last in self.iterations)

    def wants_operator(self, op: str, fullname: str, marked: bool = False) -> bool:
        """Whether an operator is dumped, by its type, full name with scope and set_dump mark."""
        if self.dump_mode == 0:
            return True
        if self.dump_mode == 2:
            return marked
        return any(_kernel_matches(kernel, op, fullname) for kernel in self.kernels)


def _kernel_matches(kernel: str, op: str, fullname: str) -> bool:
    if pattern := _REGEX_KERNEL.fullmatch(kernel):
        return re.search(pattern[1], fullname) is not None
    return fullname == kernel if "/" in kernel else op.casefold() == kernel.casefold()


def read_dump_settings(path: str | Path) -> DumpSettings | None:
    """The settings in a JSON file, or None when neither kind of dump is enabled.

    Raises:
        ParseError: not JSON, a key missing, unknown, of the wrong type or out of range.
    """
    file = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("the dump configuration is not UTF-8 text", TextPlace(file, 1)) from error
    return _Checker(file, text).settings(parse_json(text, file))


@dataclass(frozen=True, slots=True)
class _Checker:
    """Takes values out of the parsed file; every complaint finds its key's line in the text."""

    file: str
    text: str

    def fail(self, section: str, key: str, problem: str) -> ParseError:
        lines = self.text.split("\n")
        needle = f'"{key or section}"'
        number = next((i for i, line in enumerate(lines) if needle in line), 0)
        place = TextPlace(self.file, number + 1, lines[number].find(needle) + 1 or 1, lines[number])
        return ParseError(f"{section}.{key} {problem}" if key else f"{section} {problem}", place)

    def section(self, content: Mapping[str, Any], name: str, keys: frozenset[str]) -> Mapping[str, Any]:
        section = content[name]
        if not isinstance(section, dict):
            raise self.fail(name, "", f"must be an object, not {_shown(section)}")
        for key in section:
            if key not in keys:
                raise self.fail(name, key, f"is not a known key; allowed: {', '.join(sorted(keys))}")
        return section

    def value(
        self, section: str, holder: Mapping[str, Any], key: str, default: Any, good: Callable[[Any], bool], allowed: str
    ) -> Any:
        value = holder.get(key, default)
        if not good(value):
            raise self.fail(section, key, f"is {_shown(value)}; allowed: {allowed}")
        return value

    def flag(self, section: str, holder: Mapping[str, Any], key: str, default: bool) -> bool:
        return bool(self.value(section, holder, key, default, lambda v: isinstance(v, bool), "true, false"))

    def number(self, section: str, holder: Mapping[str, Any], key: str, default: int, last: int) -> int:
        return int(
            self.value(section, holder, key, default, lambda v: _is_int(v) and 0 <= v <= last, f"integers 0 to {last}")
        )

    def settings(self, content: Any) -> DumpSettings | None:
        if not isinstance(content, dict):
            raise ParseError("the dump configuration must be a JSON object", TextPlace(self.file, 1))
        for name in content:
            if name not in _SECTIONS:
                raise self.fail(name, "", f"is not a known section; allowed: {', '.join(_SECTIONS)}")
        if "common_dump_settings" not in content:
            raise ParseError("common_dump_settings is missing", TextPlace(self.file, 1))
        e2e = self.section(content, "e2e_dump_settings", _E2E) if "e2e_dump_settings" in content else {}
        later = self.section(content, "async_dump_settings", _ASYNC) if "async_dump_settings" in content else {}
        asynchronous = self.flag("async_dump_settings", later, "enable", False)
        synchronous = self.flag("e2e_dump_settings", e2e, "enable", False)
        settings = self.common(content, asynchronous)
        self.e2e(e2e)
        return settings if asynchronous or synchronous else None

    def e2e(self, e2e: Mapping[str, Any]) -> None:
        name = "e2e_dump_settings"
        # The host's data is never in a device format and is never sampled: checked, then not needed.
        self.flag(name, e2e, "trans_flag", True)
        self.flag(name, e2e, "save_kernel_args", False)
        self.number(name, e2e, "sample_mode", 0, 1)
        self.value(name, e2e, "sample_num", 100, lambda v: _is_int(v) and v > 0, "integers above 0")
        self.value(name, e2e, "stat_calc_mode", "host", lambda v: v in ("host", "device"), '"host", "device"')

    def common(self, content: Mapping[str, Any], asynchronous: bool) -> DumpSettings:
        name = "common_dump_settings"
        common = self.section(content, name, _COMMON)
        later = content.get("async_dump_settings", {})
        if "path" not in common:
            raise self.fail(name, "", "has no path")
        path = self.value(name, common, "path", None, lambda v: isinstance(v, str) and v != "", "a folder's path")
        mode = self.number(name, common, "dump_mode", 0, 2)
        kernels = self.value(name, common, "kernels", [], _is_names, "a list of operator names")
        if mode == 1 and not kernels:
            raise self.fail(name, "kernels", "is empty, and dump_mode 1 dumps only the operators it names")
        for kernel in kernels:
            self.kernel(kernel)
        io = self.number(name, common, "input_output", 0, 2)
        devices = self.value(
            name, common, "support_device", None, lambda v: v is None or _is_numbers(v), "a list of device ids"
        )
        debug = self.number(name, {**later, **common}, "op_debug_mode", 0, 4)
        self.number(name, common, "overflow_number", 0, 2**31 - 1)
        self.number(name, common, "initial_iteration", 0, 2**31 - 1)
        return DumpSettings(
            path=path,
            net_name=self.value(name, common, "net_name", "Net", _is_folder_name, "a name without / or .."),
            iterations=self.iterations(common.get("iteration", "all")),
            dump_mode=mode,
            kernels=tuple(kernels),
            io=_IO[io],
            saved_data=self.value(
                name, common, "saved_data", "tensor", lambda v: v in _SAVED, '"tensor", "statistic", "full"'
            ),
            devices=None if devices is None else frozenset(devices),
            statistics=self.statistics(common),
            file_format=self.value(
                "async_dump_settings" if "file_format" in later else name,
                {**common, **later},
                "file_format",
                "bin" if asynchronous else "npy",
                lambda v: v in ("npy", "bin"),
                '"npy", "bin"',
            ),
            asynchronous=asynchronous,
            overflow_only=debug in (1, 2, 3),
        )

    def kernel(self, kernel: str) -> None:
        if pattern := _REGEX_KERNEL.fullmatch(kernel):
            try:
                re.compile(pattern[1])
            except re.error as error:
                raise self.fail("common_dump_settings", "kernels", f"holds {kernel!r}: {error}") from error

    def iterations(self, spec: Any) -> tuple[tuple[int, int], ...] | None:
        allowed = 'is {}; allowed: "all", or numbers and ranges such as "0|5-8|100-120"'
        if not isinstance(spec, str):
            raise self.fail("common_dump_settings", "iteration", allowed.format(_shown(spec)))
        if spec == "all":
            return None
        ranges = []
        for part in spec.split("|"):
            found = re.fullmatch(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", part, re.ASCII)
            if not found or (found[2] and int(found[2]) < int(found[1])):
                raise self.fail("common_dump_settings", "iteration", allowed.format(_shown(spec)))
            ranges.append((int(found[1]), int(found[2] or found[1])))
        return tuple(ranges)

    def statistics(self, common: Mapping[str, Any]) -> tuple[str, ...]:
        chosen = self.value(
            "common_dump_settings",
            common,
            "statistic_category",
            list(DEFAULT_STATISTICS),
            lambda v: _is_names(v) and all(n in STATISTICS for n in v),
            ", ".join(STATISTICS),
        )
        return tuple(name for name in STATISTICS if name in chosen)


_SECTIONS = ("common_dump_settings", "e2e_dump_settings", "async_dump_settings")
_COMMON = frozenset(
    (
        *("path", "net_name", "iteration", "initial_iteration", "dump_mode", "kernels", "input_output"),
        *("saved_data", "statistic_category", "file_format", "support_device", "op_debug_mode", "overflow_number"),
    )
)
_E2E = frozenset(("enable", "trans_flag", "save_kernel_args", "sample_mode", "sample_num", "stat_calc_mode"))
_ASYNC = frozenset(("enable", "op_debug_mode", "file_format"))
_SAVED = ("tensor", "statistic", "full")
_IO: tuple[frozenset[Literal["input", "output"]], ...] = (
    frozenset({"input", "output"}),
    frozenset({"input"}),
    frozenset({"output"}),
)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(_is_int(v) and v >= 0 for v in value)


def _is_folder_name(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[^/\\\0]+", value) is not None and value not in (".", "..")
