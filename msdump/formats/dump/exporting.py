"""A dump's tensors as arrays that numpy opens by itself: one .npy, a folder of them, or .npz.

Layouts of chips, packed types and padding are gone from what is written. Types that numpy lacks are
written as ml_dtypes writes them, and named in the file's name.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from msdump.errors import LossError, WriteError
from msdump.formats.atomic import new_file, new_folder
from msdump.formats.dump import storage
from msdump.formats.dump.device_format import is_device_format
from msdump.formats.dump.file_names import DumpName, npy_name
from msdump.formats.dump.npy import npy_bytes, write_npy
from msdump.formats.dump.reading import Dump
from msdump.formats.dump.sidecars import MAPPING, ShortNames
from msdump.records import DumpRecord

Array: TypeAlias = "np.ndarray[Any, Any]"
Where: TypeAlias = "str | os.PathLike[str]"


def _name(record: DumpRecord) -> str:
    """The file name of a tensor: its own where it is a .npy, else the one MindSpore would give it."""
    own = storage.parts(record.path)[-1]
    if own.endswith(".npy"):
        return own
    tensor = record.tensor
    assert tensor is not None
    layout = "ND" if is_device_format(record.format) else record.format
    return npy_name(
        DumpName(
            "npy",
            record.op_type,
            record.op_name,
            record.io,
            record.slot,
            record.task,
            record.stream,
            record.timestamp,
            layout,
            tensor.dtype.name,
        )
    )


def iter_arrays(dump: Dump, lossy: bool = False) -> Iterator[tuple[str, Array]]:
    """(path below the dump, tensor) of every tensor, read one at a time.

    Raises:
        ReadError: something could not be read, after everything else was given.
        LossError: a tensor of which there are only statistics, unless `lossy`.
    """
    given = len(storage.parts(dump.root))
    for record in dump:
        if record.tensor is None:
            if not lossy:
                what = f"statistics of {record.operator} {record.io} {record.slot}, of which there is no tensor"
                raise LossError(f"{record.path}: arrays cannot hold {what}", (what,))
            continue
        below = storage.parts(record.path)[given:-1]
        yield "/".join((*below, _name(record))), record.tensor.numpy()
    if dump.problems:
        raise dump.problems[0]


def write_one(dump: Dump, path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write the one tensor of a dump as .npy.

    Raises:
        WriteError: it has none, or several.
    """
    found = list(zip(iter_arrays(dump, lossy), range(2), strict=False))
    if len(found) != 1:
        many = "several tensors" if found else "no tensor"
        raise WriteError(f"{dump.root}: holds {many}, and a .npy one", hint="give a folder/ or .npz")
    write_npy(found[0][0][1], path, force=force)


def write_npz(dump: Dump, path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write every tensor into one .npz, named as in `write_folder`."""
    with new_file(path, force=force) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in iter_arrays(dump, lossy):
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(npy_bytes(array))


def write_folder(dump: Dump, path: Where, *, force: bool = False, lossy: bool = False) -> None:
    """Write every tensor as a .npy in a new folder, in directories as the dump has them.

    Names of over 255 bytes become numbers, which mapping.csv tells, as in MindSpore's own dumps.
    """
    with new_folder(path, force=force, ours=_only_arrays) as folder:
        names = ShortNames()
        for name, array in iter_arrays(dump, lossy):
            place = folder.joinpath(*name.split("/"))
            place.parent.mkdir(parents=True, exist_ok=True)
            write_npy(array, place.with_name(names.of(place.parent, place.name)))


def _only_arrays(folder: Path) -> bool:
    return all(f.suffix == ".npy" or f.name == MAPPING for f in folder.rglob("*") if not f.is_dir())
