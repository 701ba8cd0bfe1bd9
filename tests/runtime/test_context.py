"""set_context and get_context: every key, its errors by text, print files, warnings said once."""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import context, ops
from msdump.errors import WriteError
from msdump.runtime import context as runtime_context
from msdump.runtime.profiling_options import ProfilingOptions, parse_profiling_options
from msdump.runtime.settings import SETTINGS
from tests.formats.print_values import values_of


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of its own, and no rank in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("RANK_ID", "RANK_SIZE"):
        monkeypatch.delenv(name, raising=False)


DEFAULTS: dict[str, Any] = {
    "mode": 1,
    "device_target": "CPU",
    "device_id": 0,
    "save_graphs": False,
    "save_graphs_path": ".",
    "print_file_path": "",
    "enable_dump": False,
    "save_dump_path": ".",
    "enable_profiling": False,
    "profiling_options": "training_trace",
    "max_call_depth": 1000,
    "reserve_class_name_in_scope": True,
    "precompile_only": False,
    "variable_memory_max_size": "0GB",
    "max_device_memory": "1024GB",
}


@pytest.mark.parametrize(("key", "value"), DEFAULTS.items())
def test_defaults(key: str, value: Any) -> None:
    assert context.get_context(key) == value
    assert type(context.get_context(key)) is type(value)


def test_names_and_numbers_of_the_modes() -> None:
    assert (context.GRAPH_MODE, context.PYNATIVE_MODE) == (0, 1)
    modes = [getattr(context.ParallelMode, name) for name in dir(context.ParallelMode) if name.endswith(("E", "L"))]
    assert {"stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel"} <= set(modes)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("mode", 0), ("mode", 1), ("device_id", 0), ("device_id", 4095), ("save_graphs", True), ("save_graphs", 2)),
        *(("max_call_depth", 1), ("enable_dump", True), ("save_dump_path", "/tmp/x"), ("check_bprop", True)),
        *(("device_target", "GPU"), ("device_target", "Ascend"), ("enable_profiling", True)),
        *(("precompile_only", True), ("save_dump_path", "dumps"), ("reserve_class_name_in_scope", False)),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_set_is_got(key: str, value: Any) -> None:
    context.set_context(**{key: value})
    assert context.get_context(key) == value
    assert type(context.get_context(key)) is type(value)


def test_the_folder_of_graphs_is_the_one_that_was_meant_when_it_was_set(tmp_path: Path) -> None:
    context.set_context(save_graphs_path="graphs")
    assert context.get_context("save_graphs_path") == str(tmp_path / "graphs")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_davinci_is_ascend() -> None:
    context.set_context(device_target="Davinci")
    assert context.get_context("device_target") == "Ascend"


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"mode": 7}, ValueError, "'mode' should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), but got 7"),
        ({"mode": "0"}, TypeError, "'mode' should be of type int, but got '0' of type str"),
        ({"mode": True}, TypeError, "'mode' should be of type int, but got True of type bool"),
        (
            {"device_target": "TPU"},
            ValueError,
            "'device_target' should be one of 'Ascend', 'GPU', 'CPU', 'Davinci', but got 'TPU'",
        ),
        ({"device_id": 5000}, ValueError, "'device_id' should be in the range [0, 4095], but got 5000"),
        ({"device_id": -1}, ValueError, "'device_id' should be in the range [0, 4095], but got -1"),
        ({"device_id": 1.0}, TypeError, "'device_id' should be of type int, but got 1.0 of type float"),
        ({"save_graphs": 4}, ValueError, "'save_graphs' should be in the range [0, 3], but got 4"),
        ({"save_graphs": "on"}, TypeError, "'save_graphs' should be of type bool or int, but got 'on' of type str"),
        (
            {"save_graphs_path": ""},
            ValueError,
            "'save_graphs_path' should be the path of a folder, but got an empty string",
        ),
        ({"max_call_depth": 0}, ValueError, "'max_call_depth' should be at least 1, but got 0"),
        ({"enable_dump": 1}, TypeError, "'enable_dump' should be of type bool, but got 1 of type int"),
        (
            {"variable_memory_max_size": "32GB"},
            ValueError,
            "'variable_memory_max_size' should be above 0GB and at most 31GB, but got '32GB'",
        ),
        (
            {"max_device_memory": "3.5"},
            ValueError,
            "'max_device_memory' should be a number followed by GB, such as \"5GB\", but got '3.5'",
        ),
        ({"max_device_memory": "0GB"}, ValueError, "'max_device_memory' should be above 0GB, but got '0GB'"),
        (
            {"print_file_path": ""},
            ValueError,
            "'print_file_path' should be the path of a file, but got an empty string (None prints to the screen)",
        ),
        (
            {"print_file_path": 3},
            TypeError,
            "'print_file_path' should be of type str or None, but got 3 of type int",
        ),
    ],
)
def test_errors_by_text(settings: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        context.set_context(**settings)
    assert str(raised.value) == text
    assert type(raised.value) is error


def test_an_unknown_key() -> None:
    known = ", ".join(SETTINGS)
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the whole text is compared below
        context.set_context(nonsense=1)
    assert str(raised.value) == f"Set context keyword nonsense is not recognized! It may be one of {known}"
    with pytest.raises(ValueError, match="Get context keyword nonsense is not recognized!"):
        context.get_context("nonsense")
    with pytest.raises(TypeError):
        context.set_context(1)  # type: ignore[call-arg]  # everything is passed by keyword


def test_an_error_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="device_id"):
        context.set_context(mode=context.GRAPH_MODE, print_file_path=str(tmp_path / "p.pb"), device_id=-1)
    assert context.get_context("mode") == context.PYNATIVE_MODE
    assert context.get_context("print_file_path") == ""
    assert os.listdir(tmp_path) == []


# --- devices and warnings -----------------------------------------------------------------------


def warned(**settings: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        context.set_context(**settings)
    assert all(item.filename == __file__ for item in caught)
    return [str(item.message) for item in caught]


def test_a_key_of_another_device_warns_once_and_is_ignored() -> None:
    text = "'variable_memory_max_size' is for the device_target Ascend; it is ignored on CPU"
    assert warned(variable_memory_max_size="5GB") == [text]
    assert warned(variable_memory_max_size="5GB") == []
    assert context.get_context("variable_memory_max_size") == "0GB"
    assert warned(enable_graph_kernel=True) == [
        "'enable_graph_kernel' is for the device_target Ascend or GPU; it is ignored on CPU"
    ]
    assert context.get_context("enable_graph_kernel") is False


def test_a_key_of_its_device_is_kept_and_says_that_it_does_nothing() -> None:
    assert warned(device_target="Ascend", variable_memory_max_size="5GB") == [
        "device_target Ascend is recorded; operators run on the host",
        "'variable_memory_max_size' is checked and kept, and has no effect on the host",
    ]
    assert context.get_context("variable_memory_max_size") == "5GB"
    assert warned(device_target="GPU", variable_memory_max_size="6GB") == [
        "'variable_memory_max_size' is for the device_target Ascend; it is ignored on GPU"
    ]
    assert context.get_context("variable_memory_max_size") == "5GB"


@pytest.mark.parametrize("device", ["Ascend", "GPU", "CPU"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_runs_on_the_host_works_on_every_device(tmp_path: Path, device: str) -> None:
    context.set_context(device_target=device)
    path = str(tmp_path / "print.pb")
    assert (
        warned(
            print_file_path=path,
            enable_dump=True,
            save_dump_path=str(tmp_path),
            enable_profiling=True,
            profiling_options=f'{{"result_path": "{tmp_path}", "training_trace": "on"}}',
            save_graphs=True,
        )
        == []
    )
    assert context.get_context("print_file_path") == path
    assert (context.get_context("enable_dump"), context.get_context("enable_profiling")) == (True, True)


def test_the_scope_setting_is_per_thread() -> None:
    seen: list[bool] = []
    context.set_context(reserve_class_name_in_scope=False, max_call_depth=7)

    def other() -> None:
        seen.extend([context.get_context("reserve_class_name_in_scope"), context.get_context("max_call_depth") == 7])

    thread = threading.Thread(target=copy_context().run, args=(other,))
    thread.start()
    thread.join()
    assert seen == [True, True]
    assert context.get_context("reserve_class_name_in_scope") is False


@pytest.mark.parametrize(("value", "level"), [(False, 0), (True, 3), (0, 0), (1, 1), (2, 2), (3, 3)])
def test_levels_of_saved_graphs(value: Any, level: int) -> None:
    context.set_context(save_graphs=value)
    assert runtime_context.save_graphs_level() == level


# --- profiling_options --------------------------------------------------------------------------


def test_profiling_options_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    text = '{"result_path":"out","training_trace":"on","fp_point":"conv1","ai_core_metrics":"Memory"}'
    with pytest.warns(UserWarning, match="^'ai_core_metrics' need an Ascend chip and are not collected$"):
        context.set_context(enable_profiling=True, profiling_options=text)
    assert context.get_context("profiling_options") == text
    assert runtime_context.profiling_options() == ProfilingOptions(
        result_path="out", training_trace=True, fp_point="conv1", ai_core_metrics="Memory"
    )


def test_the_older_form() -> None:
    assert parse_profiling_options("training_trace:task_trace") == ProfilingOptions(
        training_trace=True, task_trace=True
    )
    assert parse_profiling_options("training_trace") == ProfilingOptions(training_trace=True)


@pytest.mark.parametrize(
    ("text", "error", "what"),
    [
        ("tracing", ValueError, "should be JSON, or training_trace, task_trace, aicpu_trace, op_trace joined by ':'"),
        (
            '{"training_trace": "on"',
            ValueError,
            "'profiling_options' is not valid JSON: Expecting ',' delimiter at column 24",
        ),
        ('{"trace": "on"}', ValueError, "has the unknown option 'trace'; it may have result_path, training_trace"),
        (
            '{"task_trace": "yes"}',
            ValueError,
            "'profiling_options': 'task_trace' should be 'on' or 'off', but got 'yes'",
        ),
        ('{"task_trace": true}', TypeError, "'task_trace' should be of type str, but got True of type bool"),
        ('{"ai_core_metrics": "Cache"}', ValueError, "should be one of ArithmeticUtilization, PipeUtilization, Memory"),
        ('{"result_path": "/no/such/folder"}', ValueError, "'result_path' '/no/such/folder' does not exist"),
        (json.dumps({"result_path": __file__}), ValueError, "is not a folder; it should be a folder"),
    ],
)
def test_wrong_profiling_options(text: str, error: type[Exception], what: str) -> None:
    with pytest.raises(error) as raised:
        context.set_context(profiling_options=text)
    assert what in str(raised.value)


def test_a_result_path_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ValueError, match=f"'result_path' '{tmp_path}' cannot be written to"):
        context.set_context(profiling_options=f'{{"result_path": "{tmp_path}"}}')


# --- print_file_path ----------------------------------------------------------------------------


def test_an_existing_name_gets_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.0)
    Path("print.pb").write_text("mine")
    context.set_context(print_file_path="print.pb")
    assert context.get_context("print_file_path") == str(tmp_path / "print.pb.1700000000")
    ops.Print()("x")
    context.set_context(print_file_path="print.pb")
    assert context.get_context("print_file_path") == str(tmp_path / "print.pb.1700000000.1")
    assert Path("print.pb").read_text() == "mine"
    assert values_of("print.pb.1700000000") == [["x"]]


def test_a_path_set_twice_is_that_path(tmp_path: Path) -> None:
    for _ in range(3):
        context.set_context(print_file_path=str(tmp_path / "print.pb"))
    assert os.listdir(tmp_path) == ["print.pb"]
    assert context.get_context("print_file_path") == str(tmp_path / "print.pb")


@pytest.mark.parametrize("used", [False, True])
def test_a_wrong_path_leaves_the_file_before(tmp_path: Path, used: bool) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    if used:
        ops.Print()("before")
    (tmp_path / "file").touch()
    for wrong in (tmp_path, tmp_path / "file" / "x"):
        with pytest.raises(WriteError):
            context.set_context(print_file_path=str(wrong))
        with pytest.raises(OSError, match="print file"):
            context.set_context(print_file_path=str(wrong))
    ops.Print()("after")
    path = context.get_context("print_file_path")
    assert path == str(tmp_path / "print.pb")
    assert values_of(path) == ([["before"]] if used else []) + [["after"]]


def test_none_goes_back_to_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    ops.Print()("to the file")
    context.set_context(print_file_path=None)
    ops.Print()("to the screen")
    assert capsys.readouterr().out == "to the screen\n"
    assert values_of(tmp_path / "print.pb") == [["to the file"]]
    assert context.get_context("print_file_path") == ""


def test_each_rank_has_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK_ID", "3")
    monkeypatch.setenv("RANK_SIZE", "8")
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    assert context.get_context("print_file_path") == str(tmp_path / "rank_3" / "print.pb")
    ops.Print()(np.float32(1))
    (record,) = msdump.read_print(tmp_path / "rank_3" / "print.pb")
    assert record.meta is not None
    assert record.meta.rank == 3


def test_a_rank_that_is_set_later_moves_an_unused_file(tmp_path: Path) -> None:
    context.set_context(print_file_path=str(tmp_path / "print.pb"))
    context.set_auto_parallel_context(device_num=8, global_rank=5)
    assert context.get_context("print_file_path") == str(tmp_path / "rank_5" / "print.pb")
    assert os.listdir(tmp_path) == ["rank_5"]
    ops.Print()("x")
    context.reset_auto_parallel_context()
    context.set_auto_parallel_context(device_num=8, global_rank=6)
    assert context.get_context("print_file_path") == str(tmp_path / "rank_5" / "print.pb")
