"""The context: what the next run does, as MindSpore's `context` has it.

What each key is stands in settings.TABLE; how processes share work in parallel_context. Everything
is checked before anything is changed, so an error leaves the context as it was.
"""

from __future__ import annotations

import atexit
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

from msdump.runtime.parallel_context import (
    PARALLEL_SETTINGS,
    ParallelMode,
    get_auto_parallel_context,
    note_compiled,
    rank,
    reset_auto_parallel_context,
)
from msdump.runtime.parallel_context import set_auto_parallel_context as _set_auto_parallel_context
from msdump.runtime.profiling_options import ProfilingOptions, parse_profiling_options
from msdump.runtime.settings import GRAPH_MODE, PYNATIVE_MODE, SETTINGS, ContextError, Setting
from msdump.runtime.sink import PrintSink, open_print_sink


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.values: dict[str, Any] = {}


_lock = threading.RLock()
_values: dict[str, Any] = {}
_per_thread = _PerThread()
_said: set[str] = set()
_sink: PrintSink | None = None
_sink_path = ""
_sink_folder = ""
_step: int | None = None
_watchers: list[Callable[[], None]] = []


def watch_context(watcher: Callable[[], None]) -> None:
    """Have a function called after each change of the context."""
    _watchers.append(watcher)


def set_context(**settings: Any) -> None:
    """Set what the next run does, by keyword: `set_context(mode=GRAPH_MODE, device_target="GPU")`.

    Raises:
        TypeError: a value of the wrong type; names the key, the wanted and the given type.
        ValueError: a value that is not allowed (names those that are), or an unknown key.
        WriteError: a print_file_path that is a folder or cannot be written (an OSError as well).

    A key that the chosen device does not have warns once and is ignored. print_file_path, saved
    graphs, dumps and profiling work on every device_target, since they run on the host.
    """
    checked = {name: _setting(name, "set").checked(value) for name, value in settings.items()}
    with _lock:
        device = checked.get("device_target", get_context("device_target"))
        for name in [name for name in checked if not _applies(SETTINGS[name], device)]:
            del checked[name]
            _say_ignored(SETTINGS[name], device)
        kept = dict(checked)
        if "print_file_path" in kept:
            _open_print_file(kept.pop("print_file_path"))
        for name, value in kept.items():
            store = _per_thread.values if SETTINGS[name].per_thread else _values
            store[name] = value
    for name, value in checked.items():
        _say_what_it_does(SETTINGS[name], value)
    for watcher in _watchers:
        watcher()


def get_context(attr_key: str) -> Any:
    """The value of one key, or its default.

    For print_file_path the absolute path of the file this process writes to ("" is the screen),
    which differs from what was set when a file of that name was there already. An unknown key is a
    ValueError.
    """
    setting = _setting(attr_key, "get")
    if attr_key == "print_file_path":
        return _sink.path if _sink is not None else ""
    store = _per_thread.values if setting.per_thread else _values
    value = store.get(attr_key, setting.default)
    return dict(value) if isinstance(value, dict) else value


def set_auto_parallel_context(**settings: Any) -> None:
    """Set how work is shared between processes; see parallel_context.set_auto_parallel_context.

    A print file that nothing was written to yet moves into the folder of its rank. What has no
    effect on the host, and a rank that no device has, are said once.
    """
    with _lock:
        _set_auto_parallel_context(**settings)
        for name, value in settings.items():
            _say_what_it_does(PARALLEL_SETTINGS[name], value)
        number, processes = rank()
        if number >= processes and processes > 1:
            what = f"'global_rank' {number} is none of the ranks 0 to {processes - 1} of 'device_num' {processes}"
            say_once(what, what)
        if _sink is not None and _sink_folder != rank_folder() and _sink.is_empty():
            _open_print_file(_sink_path)


def rank_folder() -> str:
    """`rank_<n>` when there is more than one process or a rank was set, else ""."""
    number, processes = rank()
    return f"rank_{number}" if processes > 1 or number > 0 else ""


def print_sink() -> PrintSink | None:
    """The print file, or None when Print writes to the screen."""
    return _sink


def save_graphs_level() -> int:
    """What save_graphs asks for: 0 nothing, 1 main stages, 2 every .ir, 3 .dot too (True is 3)."""
    value = get_context("save_graphs")
    return (3 if value else 0) if isinstance(value, bool) else int(value)


def profiling_options() -> ProfilingOptions:
    """The profiling_options as set, read; their defaults (training_trace) when none were set."""
    return parse_profiling_options(get_context("profiling_options"))


def set_step(step: int | None) -> None:
    """Tell the step of training, which print files note beside each call; None is unknown."""
    global _step
    _step = step


def current_step() -> int | None:
    """The step of training that was told last."""
    return _step


def say_once(key: str, message: str, stacklevel: int = 3) -> None:
    """Warn, but only the first time that `key` comes."""
    with _lock:
        if key in _said:
            return
        _said.add(key)
    warnings.warn(message, UserWarning, stacklevel=stacklevel)


def _setting(name: str, call: str) -> Setting:
    if (setting := SETTINGS.get(name)) is not None:
        return setting
    known = ", ".join(SETTINGS)
    raise ValueError(f"{call.capitalize()} context keyword {name} is not recognized! It may be one of {known}")


def _applies(setting: Setting, device: str) -> bool:
    return not setting.ignored_elsewhere or device in setting.devices


def _say_ignored(setting: Setting, device: str) -> None:
    what = f"'{setting.name}' is for the device_target {' or '.join(setting.devices)}; it is ignored on {device}"
    say_once(f"{setting.name} on {device}", what, stacklevel=4)


def _say_what_it_does(setting: Setting, value: Any) -> None:
    if setting.effect == "kept" and value != setting.default:
        say_once(setting.name, f"'{setting.name}' is checked and kept, and has no effect on the host", stacklevel=4)
    elif setting.name == "device_target" and value != "CPU":
        say_once("device_target", f"device_target {value} is recorded; operators run on the host", stacklevel=4)
    elif setting.name == "profiling_options":
        options = parse_profiling_options(value)
        if options.ai_core_metrics:
            say_once("ai_core_metrics", "'ai_core_metrics' need an Ascend chip and are not collected", stacklevel=4)
        if (options.fp_point or options.bp_point) and not options.training_trace:
            what = "'fp_point' and 'bp_point' are for the training_trace, which is off"
            say_once(what, what, stacklevel=4)


def _open_print_file(asked: str) -> None:
    """Reserve a print file and end the one before; "" goes back to the screen."""
    global _sink, _sink_path, _sink_folder
    before, before_path = _sink, _sink_path
    if before is not None and before.is_empty():
        # Its name is free again, so that setting one path twice gives that path.
        before.close()
        before, _sink = None, None
    folder = rank_folder()
    try:
        opened = _reserve(asked, folder) if asked else None
    except BaseException:
        if before is None and before_path:
            _sink = _reserve(before_path, _sink_folder)
        raise
    if before is not None:
        before.close()
    _sink, _sink_path, _sink_folder = opened, os.path.abspath(asked) if asked else "", folder


def _reserve(path: str, folder: str) -> PrintSink:
    head, tail = os.path.split(os.path.abspath(path))
    # A path that ends in a separator names a folder; the opener says so.
    return open_print_sink(os.path.join(head, folder, tail) if folder and tail else path, rank()[0])


def _close_at_exit() -> None:
    if _sink is not None:
        _sink.close()


atexit.register(_close_at_exit)

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "ContextError",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "note_compiled",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
]
