"""The dump configuration: what it may hold, and the complaint for each thing it may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msdump.errors import ParseError
from msdump.runtime.dump_settings import DumpSettings, read_dump_settings


def written(tmp_path: Path, common: dict[str, Any], **sections: Any) -> Path:
    file = tmp_path / "dump.json"
    sections.setdefault("e2e_dump_settings", {"enable": True})
    file.write_text(json.dumps({"common_dump_settings": {"path": "/d", **common}, **sections}, indent=1))
    return file


def settings(tmp_path: Path, common: dict[str, Any], **sections: Any) -> DumpSettings:
    found = read_dump_settings(written(tmp_path, common, **sections))
    assert found is not None
    return found


def test_every_key_of_the_documentation(tmp_path: Path) -> None:
    common = {
        "op_debug_mode": 0,
        "dump_mode": 1,
        "net_name": "ResNet50",
        "iteration": "0|5-8|100-120",
        "saved_data": "full",
        "input_output": 2,
        "kernels": ["Default/Conv-op12", "MatMul", "name-regex(layer[0-3].*)"],
        "support_device": [0, 3],
        "statistic_category": ["l2norm", "max"],
    }
    s = settings(tmp_path, common, e2e_dump_settings={"enable": True, "trans_flag": False, "sample_mode": 1})
    assert s.iterations == ((0, 0), (5, 8), (100, 120))
    assert [i for i in range(130) if s.wants_iteration(i)] == [0, *range(5, 9), *range(100, 121)]
    assert s.io == {"output"}
    assert s.statistics == ("max", "l2norm")
    assert s.devices == frozenset({0, 3})
    assert (s.path, s.net_name, s.saved_data, s.file_format) == ("/d", "ResNet50", "full", "npy")
    assert s.wants_operator("Conv2D", "Default/Conv-op12")
    assert not s.wants_operator("Conv2D", "Default/Conv-op1")
    assert s.wants_operator("MatMul", "Default/x/MatMul-op3")
    assert s.wants_operator("Add", "Default/layer2/Add-op0")
    assert not s.wants_operator("Add", "Default/layer7/Add-op0")


def test_defaults_dump_everything(tmp_path: Path) -> None:
    s = settings(tmp_path, {})
    assert s == DumpSettings(path="/d")
    assert s.wants_iteration(10**9)
    assert s.wants_operator("Add", "")


def test_asynchronous_dump_writes_bin(tmp_path: Path) -> None:
    s = settings(tmp_path, {"op_debug_mode": 3}, async_dump_settings={"enable": True}, e2e_dump_settings={})
    assert (s.asynchronous, s.file_format, s.overflow_only) == (True, "bin", True)
    s = settings(tmp_path, {}, async_dump_settings={"enable": True, "file_format": "npy"})
    assert s.file_format == "npy"


def test_marked_cells(tmp_path: Path) -> None:
    s = settings(tmp_path, {"dump_mode": 2})
    assert s.wants_operator("Add", "a/b", marked=True)
    assert not s.wants_operator("Add", "a/b")


def test_nothing_enabled_is_no_dump(tmp_path: Path) -> None:
    assert read_dump_settings(written(tmp_path, {}, e2e_dump_settings={"enable": False})) is None


@pytest.mark.parametrize(
    ("common", "sections", "message"),
    [
        ({"dump_mode": 3}, {}, "common_dump_settings.dump_mode is 3; allowed: integers 0 to 2"),
        ({"dump_mode": True}, {}, "common_dump_settings.dump_mode is true; allowed: integers 0 to 2"),
        (
            {"dump_mode": 1},
            {},
            "common_dump_settings.kernels is empty, and dump_mode 1 dumps only the operators it names",
        ),
        (
            {"iteration": "8-5"},
            {},
            'common_dump_settings.iteration is "8-5"; allowed: "all", or numbers and ranges such as "0|5-8|100-120"',
        ),
        (
            {"iteration": 3},
            {},
            'common_dump_settings.iteration is 3; allowed: "all", or numbers and ranges such as "0|5-8|100-120"',
        ),
        (
            {"saved_data": "all"},
            {},
            'common_dump_settings.saved_data is "all"; allowed: "tensor", "statistic", "full"',
        ),
        ({"input_output": "both"}, {}, 'common_dump_settings.input_output is "both"; allowed: integers 0 to 2'),
        ({"net_name": "a/b"}, {}, 'common_dump_settings.net_name is "a/b"; allowed: a name without / or ..'),
        (
            {"kernels": ["name-regex(()"], "dump_mode": 1},
            {},
            "common_dump_settings.kernels holds 'name-regex(()': missing ), unterminated subpattern at position 0",
        ),
        ({}, {"e2e_dump_settings": {"enable": 1}}, "e2e_dump_settings.enable is 1; allowed: true, false"),
        ({}, {"e2e_dump_settings": []}, "e2e_dump_settings must be an object, not []"),
        (
            {},
            {"async_dump_settings": {"file_format": "txt"}},
            'async_dump_settings.file_format is "txt"; allowed: "npy", "bin"',
        ),
        (
            {},
            {"more": {}},
            "more is not a known section; allowed: common_dump_settings, e2e_dump_settings, async_dump_settings",
        ),
    ],
)
def test_a_bad_value_names_its_key(
    tmp_path: Path, common: dict[str, Any], sections: dict[str, Any], message: str
) -> None:
    file = written(tmp_path, common, **sections)
    with pytest.raises(ParseError) as caught:
        read_dump_settings(file)
    assert caught.value.what == message


def test_an_unknown_key_is_shown_at_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, {"iterations": "0"})
    with pytest.raises(ParseError) as caught:
        read_dump_settings(file)
    assert caught.value.what.startswith("common_dump_settings.iterations is not a known key; allowed: dump_mode, ")
    assert str(caught.value.where) == f"{file}:4:3"


def test_what_is_not_json_is_shown_where_it_breaks(tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    file.write_text('{\n  "common_dump_settings": {,}\n}')
    with pytest.raises(ParseError, match="not JSON") as caught:
        read_dump_settings(file)
    assert str(caught.value.where) == f"{file}:2:28"
    file.write_text("[]")
    with pytest.raises(ParseError, match="must be a JSON object"):
        read_dump_settings(file)
    file.write_text("{}")
    with pytest.raises(ParseError, match="common_dump_settings is missing"):
        read_dump_settings(file)
    file.write_text('{"common_dump_settings": {}}')
    with pytest.raises(ParseError, match="common_dump_settings has no path"):
        read_dump_settings(file)


def test_the_real_configurations_are_accepted(corpus: Path) -> None:
    files = sorted(corpus.glob("dump/*/*/dump.json"))
    assert len(files) >= 10
    for file in files:
        found = read_dump_settings(file)
        assert found is not None
        assert (found.net_name, found.iterations, found.saved_data, found.file_format) == ("Net", None, "tensor", "npy")
