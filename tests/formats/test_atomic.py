"""Output files appear whole or not at all, and never over another unless told to."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import msdump
from msdump.formats.atomic import new_file, write_file


def test_a_file_is_there_only_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    with new_file(path) as stream:
        stream.write(b"half")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert os.listdir(tmp_path) == ["out.bin"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), new_file(path, force=True) as stream:
        stream.write(b"half" * (1 // 0))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.bin"]


def test_a_name_that_is_taken_is_refused_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    with pytest.raises(msdump.WriteError) as caught:
        write_file(path, b"new")
    assert str(caught.value) == f"{path}: the file exists already"
    assert "--force" in caught.value.hint
    assert path.read_bytes() == b"old"
    path.chmod(0o640)
    write_file(path, b"new", force=True)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_name_that_is_taken_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    with pytest.raises(msdump.WriteError, match="exists already"), new_file(path):
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["out.bin"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_file(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_is_followed_when_forced(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(msdump.WriteError, match="is a directory"):
        write_file(tmp_path, b"", force=True)
    with pytest.raises(msdump.WriteError, match="No such file or directory"):
        write_file(tmp_path / "none" / "out.bin", b"")


def test_a_device_is_written_to_directly() -> None:
    write_file("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
