"""The context held against real MindSpore 1.1 and 2.10, call by call; record_context.py recorded them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from msdump import context
from msdump.runtime.parallel_context import PARALLEL_SETTINGS
from msdump.runtime.session import Session
from msdump.runtime.settings import SETTINGS
from tests.conftest import FIXTURES
from tests.runtime.record_context import DEVICES, KEYS, PARALLEL, attempt, calls

TYPE_ERROR = {"error": "TypeError"}
VALUE_ERROR = {"error": "ValueError"}
RELEASES = ("1.1", "2.10")
RECORDED = {r: json.loads((FIXTURES / "ops" / f"context_{r}.json").read_text())["calls"] for r in RELEASES}
BY_CALL = {r: {json.dumps(row[:3]): row for row in rows} for r, rows in RECORDED.items()}

# Keys that a release has not, or takes no more; msdump has those of both.
ABSENT = {
    "1.1": {
        *("deterministic", "pynative_synchronize", "grad_for_scalar", "enable_compile_cache", "compile_cache_path"),
        *("memory_optimize_level", "memory_offload", "runtime_num_threads", "inter_op_parallel_num", "op_timeout"),
        *("jit_syntax_level", "jit_config", "ascend_config", "gpu_config"),
    },
    "2.10": {
        *("enable_dump", "save_dump_path", "precompile_only", "enable_sparse", "enable_auto_mixed_precision"),
        *("grad_for_scalar", "memory_offload"),
    },
}
# The same thing in other words: what a getter gives there → here.
SPELLED = {
    ("variable_memory_max_size", "0"): "0GB",
    ("variable_memory_max_size", "5 * 1024 * 1024 * 1024"): "5GB",
    ("variable_memory_max_size", "31 * 1024 * 1024 * 1024"): "31GB",
    ("max_device_memory", "3.5"): "3.5GB",
    ("max_device_memory", "1024.0"): "1024GB",
    ("memory_optimize_level", "0"): "O0",
    ("memory_optimize_level", "1"): "O1",
}
LATER = (  # MindSpore takes any text, and the device's profiler refuses it when it starts; here that is when it is set.
    *("", "x", "nothing", "{", "[]", '{"result_path": "nowhere"}', '{"training_trace": "yes"}'),
    *('{"unknown": "on"}', '{"ai_core_metrics": "Everything"}'),
)
# (release or "", key, value) → what msdump gives instead, and why.
OTHERWISE: dict[tuple[str, str, Any], Any] = {
    # Recorded, whatever the package that is installed is for; operators run on the host.
    ("", "device_target", "GPU"): {"got": "GPU"},
    ("", "device_target", "Ascend"): {"got": "Ascend"},
    ("", "device_target", "Davinci"): {"got": "Ascend"},
    # 2.x's levels are taken beside 1.1's bool, and stay what they were set to.
    **{("1.1", "save_graphs", level): {"got": level} for level in (0, 1, 2, 3)},
    **{("1.1", "save_graphs", level): VALUE_ERROR for level in (4, -1)},
    **{("2.10", "save_graphs", switch): {"got": switch} for switch in (True, False)},
    ("2.10", "save_graphs", -1): VALUE_ERROR,
    # An empty path is a wrong value everywhere; MindSpore takes it for the working directory, or for none.
    ("", "print_file_path", ""): VALUE_ERROR,
    ("", "save_dump_path", ""): VALUE_ERROR,
    ("", "print_file_path", "folder"): {"error": "PrintPathError"},  # an OSError, as there
    ("", "print_file_path", None): {"got": ""},  # back to the screen
    **{("", "profiling_options", text): VALUE_ERROR for text in LATER},
    ("", "profiling_options", '{"fp_point": 3}'): TYPE_ERROR,
    # Limits of 1.1 that 2.10 no longer looks at, and one of 2.10 that 1.1 did not.
    ("2.10", "device_num", 4097): VALUE_ERROR,
    ("1.1", "pipeline_stages", 0): VALUE_ERROR,
    ("1.1", "pipeline_stages", -1): VALUE_ERROR,
    ("1.1", "auto_parallel_search_mode", "sharding_propagation"): {"got": "sharding_propagation"},
    # Defaults that differ between the releases, or by the machine.
    ("2.10", "get", "save_graphs"): {"got": False},
    ("2.10", "get", "auto_parallel_search_mode"): {"got": "dynamic_programming"},
    ("2.10", "get", "runtime_num_threads"): {"got": 30},
    ("2.10", "get", "enable_compile_cache"): {"got": False},
}
WRONG_TYPE = {  # a wrong type is a TypeError here for every key; there it is what the key's own check makes of it
    ("1.1", "reserve_class_name_in_scope"),
    ("2.10", "enable_profiling"),
    ("2.10", "compile_cache_path"),
    ("2.10", "memory_optimize_level"),
}


def expected(release: str, function: str, given: Any, device: str, result: Any) -> Any:
    """What msdump is to give for a recorded call; None: nothing can be said from this release."""
    reads = function.startswith("get")
    key, value = (given, None) if reads else list(given.items())[-1]
    settings = PARALLEL_SETTINGS if "parallel" in function else SETTINGS
    if key in ABSENT[release]:
        return None
    for name in (release, ""):
        instead = OTHERWISE.get((name, "get" if reads else key, key if reads else _hashable(value)))
        # 1, 1.0 and True hash alike.
        if instead is not None and (reads or (name, key, repr(value)) in _AS_TOLD):
            return instead
    if reads:
        return {"got": _spelled(key, result["got"])} if "got" in result else result
    setting = settings.get(key)
    if setting is None:
        return result
    if value is None and type(None) not in setting.types:
        return TYPE_ERROR
    numbers = value if isinstance(value, list) else [value]
    if any(isinstance(n, bool) for n in numbers) and {int, list} & {*setting.types} and bool not in setting.types:
        return TYPE_ERROR  # True is no number here
    bound = DEVICES.get(key, ["CPU"])
    if device not in bound and device == "CPU" and "parallel" not in function:
        # There it is ignored unread; here it is read as on its own device, and works where the host can.
        own = BY_CALL[release].get(json.dumps([function, given, bound[0]]))
        if own is None:
            return None
        found = expected(release, function, given, bound[0], own[3])
        return {"got": setting.default} if "got" in found and setting.effect == "kept" else found
    if "got" in result:
        return {"got": _spelled(key, result["got"])}
    if (release, key) in WRONG_TYPE and not isinstance(value, setting.types):
        return TYPE_ERROR
    return result


def _hashable(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


_AS_TOLD = {(release, key, repr(value)) for release, key, value in OTHERWISE}


def _spelled(key: str, value: Any) -> Any:
    return SPELLED.get((key, str(value)), value)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("function", ["set_context", "get_context", "parallel"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_recorded_call_gives_the_same(release: str, function: str) -> None:
    compared = 0
    wrong = []
    for called, given, device, result, _ in RECORDED[release]:
        if function not in called:
            continue
        want = expected(release, called, given, device, result)
        if want is None:
            continue
        with Session.fresh():
            got = attempt(context, called, given, device)
        compared += 1
        if got != want or json.dumps(got) != json.dumps(want):
            wrong.append((called, given, device, got, want, result))
    assert wrong == []
    assert compared >= {"set_context": 250, "get_context": 20, "parallel": 250}[function]


def test_every_key_is_recorded_with_good_and_bad_values() -> None:
    assert set(KEYS) == {*SETTINGS, "nonsense"} - {"save_graphs_dialect"}
    assert set(PARALLEL) == {*PARALLEL_SETTINGS, "nonsense"}
    for release in RELEASES:
        rows = RECORDED[release]
        assert {json.dumps(list(call)) for call in calls() if call[2] == "CPU"} <= {json.dumps(r[:3]) for r in rows}
        refused = {row[1] for row in rows if row[0] == "get_context" and "error" in row[3]}
        assert refused == {*ABSENT[release], "nonsense"}


@pytest.mark.parametrize(
    ("table", "function"), [(SETTINGS, "set_context"), (PARALLEL_SETTINGS, "set_auto_parallel_context")]
)
def test_what_has_no_effect_says_so_once(table: dict[str, Any], function: str) -> None:
    said = 0
    given = KEYS if table is SETTINGS else PARALLEL
    for key, setting in table.items():
        for value in [*given.get(key, []), True, False, 7]:
            with Session.fresh():
                heard = [messages(key, setting, function, value) for _ in range(2)]
            if None not in heard:
                effect = setting.effect == "kept" and value != setting.default
                text = f"'{key}' is checked and kept, and has no effect on the host"
                assert heard == [[text] if effect else [], []], (key, value)
                said += effect
    assert said >= 5


def messages(key: str, setting: Any, function: str, value: Any) -> list[str] | None:
    """What is said of a key when it is set, or None when the value is refused."""
    force = {"device_target": setting.devices[0]} if setting.devices else {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            getattr(context, function)(**force, **{key: value})
        except (TypeError, ValueError, OSError):
            return None
    return [str(w.message) for w in caught if f"'{key}'" in str(w.message)]
