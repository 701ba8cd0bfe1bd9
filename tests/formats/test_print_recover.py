"""Broken files: what a reader gives before the damage, and what recover finds behind it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

import msdump
from fixtures.print.broken.make import files
from msdump.formats.print_pb.recover import Lost
from msdump.records import BadValue, PrintRecord
from msdump.source import BytePlace
from tests.conftest import FIXTURES
from tests.formats.print_bytes import call, delimited, string, tensor

BROKEN = FIXTURES / "print" / "broken"
INDEX: dict[str, dict[str, Any]] = json.loads((BROKEN / "index.json").read_text(encoding="utf-8"))


def test_the_files_are_what_the_script_makes() -> None:
    made = {name: content for name, (content, *_) in files().items()}
    assert made == {path.stem: path.read_bytes() for path in BROKEN.glob("*.pb")}
    assert made.keys() == INDEX.keys()


@pytest.mark.parametrize("name", INDEX)
def test_a_broken_file_gives_all_that_is_whole(name: str) -> None:
    path, wanted = BROKEN / f"{name}.pb", INDEX[name]
    log = msdump.open_print(path)
    assert len(log) == wanted["records"]
    assert sum(isinstance(value, BadValue) for record in log for value in record.values) == wanted["bad"]
    if wanted["error"] is None:
        assert log.error is None
        assert len(list(msdump.read_print(path))) == wanted["records"]
    else:
        assert log.error is not None
        assert log.error.where == BytePlace(str(path), wanted["error"])
        given: list[PrintRecord] = []
        with pytest.raises(msdump.DecodeError) as caught:
            given.extend(msdump.read_print(path))
        assert caught.value.where == log.error.where
        assert log.problems[-1].where == log.error.where
    # Something is told of each of them: the error, a bad value, or a note.
    assert log.problems


@pytest.mark.parametrize("name", INDEX)
def test_recover_finds_every_whole_record_and_says_what_was_lost(name: str) -> None:
    path = BROKEN / f"{name}.pb"
    found = list(msdump.iter_recovered(path))
    records = [item for item in found if isinstance(item, PrintRecord)]
    assert len(records) == INDEX[name]["recovered"]
    assert [record.index for record in records] == list(range(len(records)))
    lost = [item for item in found if isinstance(item, Lost)]
    assert len(lost) == (INDEX[name]["error"] is not None or INDEX[name]["recovered"] != INDEX[name]["records"])
    for item in lost:
        assert item.nbytes > 0
        assert item.what
    # After damage in the middle the next whole record is found at its very first byte.
    ends = [item.offset + item.nbytes for item in lost]
    size = path.stat().st_size
    assert all(end == size or end in [record.offset for record in records] for end in ends)


def texts(path: Path, content: bytes) -> list[Any]:
    """What recover finds: strings, shapes of tensors, and (offset, bytes) of what was lost."""
    path.write_bytes(content)
    found: list[Any] = []
    for item in msdump.iter_recovered(path):
        if isinstance(item, Lost):
            found.append((item.offset, item.nbytes))
        else:
            found += [v if isinstance(v, str) else list(v.shape) for v in item.values]
    return found


def test_damage_between_the_values_of_mindspores_files(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    number = tensor("Float32", (2,), struct.pack("<2f", 1, 2))
    half = string("label")[:4]
    # Before a tensor, before a string with a tensor after it, before a few strings, before the end.
    assert texts(path, string("a") + half + number + string("b")) == ["a", (5, 4), [2], "b"]
    assert texts(path, string("a") + string("longer label")[:4] + string("b") + number) == ["a", (5, 4), "b", [2]]
    several = b"".join(map(string, "bcdef"))
    assert texts(path, string("a") + b"\x0f" + several + b"\x0f") == ["a", (5, 1), *"bcdef", (31, 1)]
    assert texts(path, string("a") + b"\x0f" + string("z")) == ["a", (5, 1), "z"]
    assert texts(path, b"\x0f" * 100) == [(0, 100)]


def test_a_length_that_swallows_what_follows(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    number = tensor("Int32", (3,), struct.pack("<3i", 1, 2, 3))
    longer = bytes([0x0A, number[1] + 40]) + number[2:]
    assert texts(path, longer + number + number) == [(0, len(number)), [3], [3]]


def test_single_values_between_calls_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    first, second = call(string("one"), 0), call(string("two"), 1)
    assert texts(path, string("by MindSpore") + first + string("again") + second) == [
        "by MindSpore",
        "one",
        "again",
        "two",
    ]


def test_a_print_file_inside_a_tensor_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    inner = call(string("inner"), 5)
    outer = call(tensor("UInt8", (len(inner),), inner), 0)
    assert texts(path, outer + call(string("next"), 1)) == [[len(inner)], "next"]


def test_foreign_fields_are_passed_by(tmp_path: Path) -> None:
    content = delimited(9, b"zzz") + b"\x38\x05" + string("a") + delimited(12, b"") + string("b")
    assert texts(tmp_path / "print.pb", content) == ["a", "b"]
