"""Tensor dumps: files, names, directories (formats/tensor-dump in docs/).

file_names.py what a file name says · npy.py, bin.py, payload.py, overflow.py the files · device_format.py
their layouts · statistic.py, sidecars.py the tables beside them · layout.py directories · resolve.py
full names · reading.py all of it as one dump · checking.py what is wrong with it · exporting.py its
arrays for others · storage.py where it lies.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.formats.dump.reading import Dump

Where: TypeAlias = "str | os.PathLike[str]"


def sniff_bin(head: bytes, name: str) -> int:
    """How sure it is that a file is an operator's, dumped by Ascend: by its structure and its name."""
    from msdump.formats.dump.bin import looks_like_bin
    from msdump.formats.dump.file_names import parse_name

    size = os.path.getsize(name) if os.path.isfile(name) else len(head)
    known = parse_name(os.path.basename(name))
    if known is None:  # standard input, or a name of one's own
        return 30 if looks_like_bin(head, size) else 0
    if known.kind not in ("async", "overflow"):
        return 0
    if looks_like_bin(head, size):
        return 80
    # A damaged file is told by a timestamp in microseconds, which nothing else is called by.
    return 40 if known.timestamp >= 10**15 else 0


def sniff_statistic(head: bytes, _name: str) -> int:
    """80 for a first line that is the header of a statistic.csv."""
    from msdump.formats.dump.statistic import looks_like_statistic

    return 80 if looks_like_statistic(head[:4096].decode("utf-8", "replace")) else 0


def _read(path: str) -> Dump:
    """The records of one file."""
    from msdump.formats.dump.reading import Dump

    return Dump(path)


def _write_one(dump: Dump, path: Where, **options: bool) -> None:
    from msdump.formats.dump.exporting import write_one

    write_one(dump, path, **options)


def _write_npz(dump: Dump, path: Where, **options: bool) -> None:
    from msdump.formats.dump.exporting import write_npz

    write_npz(dump, path, **options)


def _write_folder(dump: Dump, path: Where, **options: bool) -> None:
    from msdump.formats.dump.exporting import write_folder

    write_folder(dump, path, **options)


FORMATS: tuple[Format, ...] = (
    Format("npy", "tensor", "a dumped tensor as numpy keeps it", _read, _write_one),
    Format("dump.bin", "tensor", "an operator's tensors, dumped by Ascend", _read),
    Format("tensor.npz", "tensor", "an operator's tensors in one file", write=_write_npz),
    Format("tensor.folder", "tensor", "an operator's tensors as .npy", write=_write_folder),
    Format("dump", "dump", "a dump directory, in any of MindSpore's layouts", _read),
    Format("dump.npy", "dump", "a dump's tensors as .npy, in directories as it has", write=_write_folder),
    Format("dump.npz", "dump", "a dump's tensors in one file", write=_write_npz),
    Format("statistic.csv", "table", "statistics of dumped tensors", _read),
)
