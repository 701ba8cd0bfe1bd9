"""The context: what the next run does, as MindSpore's `context` has it.

What each key is stands in settings.TABLE; how processes share work in parallel_context. Everything
is checked before anything is changed, so an error leaves the context as it was.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from msdump.runtime.parallel_context import (
    PARALLEL_SETTINGS,
    ParallelMode,
    get_auto_parallel_context,
    rank,
    rank_folder,
    reset_auto_parallel_context,
)
from msdump.runtime.parallel_context import set_auto_parallel_context as _set_auto_parallel_context
from msdump.runtime.profiling_options import ProfilingOptions, parse_profiling_options
from msdump.runtime.session import Session, current
from msdump.runtime.settings import GRAPH_MODE, PYNATIVE_MODE, SETTINGS, ContextError, Setting
from msdump.runtime.sink import PrintSink


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
    session = current()
    with session.lock:
        device = checked.get("device_target", get_context("device_target"))
        for name in [name for name in checked if not _applies(SETTINGS[name], device)]:
            del checked[name]
            _say_ignored(SETTINGS[name], device)
        kept = dict(checked)
        if "print_file_path" in kept:
            _open_print_file(session, kept.pop("print_file_path"))
        for name, value in kept.items():
            _store(session, SETTINGS[name])[name] = value
    for name, value in checked.items():
        _say_what_it_does(SETTINGS[name], value)
    session.changed()


def get_context(attr_key: str) -> Any:
    """The value of one key, or its default.

    For print_file_path the absolute path of the file this process writes to ("" is the screen),
    which differs from what was set when a file of that name was there already. An unknown key is a
    ValueError.
    """
    setting = _setting(attr_key, "get")
    session = current()
    if attr_key == "print_file_path":
        return "" if session.print_file is None else session.print_file.path
    value = _store(session, setting).get(attr_key, setting.default)
    return dict(value) if isinstance(value, dict) else value


def set_auto_parallel_context(**settings: Any) -> None:
    """Set how work is shared between processes; see parallel_context.set_auto_parallel_context.

    A print file that nothing was written to yet moves into the folder of its rank. What has no
    effect on the host, and a rank that no device has, are said once.
    """
    session = current()
    with session.lock:
        _set_auto_parallel_context(**settings)
        for name, value in settings.items():
            _say_what_it_does(PARALLEL_SETTINGS[name], value)
        number, processes = rank()
        if number >= processes and processes > 1:
            what = f"'global_rank' {number} is none of the ranks 0 to {processes - 1} of 'device_num' {processes}"
            say_once(what, what)
        file = session.print_file
        if file is not None and session.print_folder != rank_folder() and file.is_empty():
            _open_print_file(session, session.print_asked)


def save_graphs_level() -> int:
    """What save_graphs asks for: 0 nothing, 1 main stages, 2 every .ir, 3 .dot too (True is 3)."""
    value = get_context("save_graphs")
    return (3 if value else 0) if isinstance(value, bool) else int(value)


def profiling_options() -> ProfilingOptions:
    """The profiling_options as set, read; their defaults (training_trace) when none were set."""
    return parse_profiling_options(get_context("profiling_options"))


def set_step(step: int | None) -> None:
    """Tell the step of training, which print files note beside each call; None is unknown."""
    current().step = step


def say_once(key: str, message: str, stacklevel: int = 3) -> None:
    """Warn, but only the first time that `key` comes."""
    session = current()
    with session.lock:
        if key in session.warned:
            return
        session.warned.add(key)
    warnings.warn(message, UserWarning, stacklevel=stacklevel)


def _store(session: Session, setting: Setting) -> dict[str, Any]:
    return session.thread.settings if setting.per_thread else session.settings


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


def _open_print_file(session: Session, asked: str) -> None:
    """Reserve a print file and end the one before; "" goes back to the screen."""
    before, before_path = session.print_file, session.print_asked
    if before is not None and before.is_empty():
        # Its name is free again, so that setting one path twice gives that path.
        before.close()
        before = session.print_file = None
    folder = rank_folder()
    try:
        opened = _reserve(session, asked, folder) if asked else None
    except BaseException:
        if before is None and before_path:
            session.print_file = _reserve(session, before_path, session.print_folder)
        raise
    if before is not None:
        before.close()
    session.print_file, session.print_folder = opened, folder
    session.print_asked = os.path.abspath(asked) if asked else ""


def _reserve(session: Session, path: str, folder: str) -> PrintSink:
    if session.writers is None:
        raise RuntimeError("no print file format is known yet: import msdump.context first")
    head, tail = os.path.split(os.path.abspath(path))
    # A path that ends in a separator names a folder; the opener says so.
    return session.writers.print_file(os.path.join(head, folder, tail) if folder and tail else path, rank()[0])


__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "ContextError",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
]
