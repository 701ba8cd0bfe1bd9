"""Opdebug.Node_OpDebug: which operator overflowed, as the chip's debug registers tell.

In .bin form the payload of its output holds three blocks of uint64 (atomic add on DHA, atomic add
on L2, AI Core), then the status of each. Source: the layout MindSpore and msprobe unpack; files
already unpacked have the same keys as JSON.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.errors import DecodeError, ParseError
from msdump.formats.dump import storage
from msdump.formats.dump.bin import read_bin
from msdump.json_text import parse_json
from msdump.source import BytePlace, TextPlace

_UNITS = (("DHA Atomic Add", 0), ("L2 Atomic Add", 128), ("AI Core", 256))
_FIELDS = ("model_id", "stream_id", "task_id", "task_type", "pc_start", "para_base")
_HEX = frozenset({"pc_start", "para_base", "kernel_code"})
_STATUS = {"DHA Atomic Add": 512, "L2 Atomic Add": 768}
_CORE = 1024
_LENGTH = _CORE + 24


def read_overflow(path: str) -> dict[str, dict[str, Any]]:
    """Unit → what it tells of the overflow: ids of model, stream and task, addresses, status.

    Raises:
        DecodeError, ParseError: the file does not follow its layout.
    """
    if path.endswith(".json"):
        content = parse_json(storage.read_text(path), path)
        if not isinstance(content, dict):
            raise ParseError("not an overflow report", TextPlace(path, 1))
        return {str(unit): dict(told) for unit, told in content.items() if isinstance(told, dict)}
    file = read_bin(path)
    outputs = [s for s in file.slots if s.io == "output"]
    if not outputs:
        raise file.problem or DecodeError("it has no output", BytePlace(path, file.data_start))
    tensor = outputs[0].tensor
    content_bytes = storage.read_range(path, tensor.offset, min(tensor.size, _LENGTH))
    if len(content_bytes) < _LENGTH:
        raise DecodeError(
            f"an overflow report has {_LENGTH} bytes, here are {len(content_bytes)}",
            BytePlace(path, tensor.offset + len(content_bytes)),
        )
    words = np.frombuffer(content_bytes, "<u8")
    found: dict[str, dict[str, Any]] = {}
    for unit, offset in _UNITS:
        found[unit] = {key: _show(key, int(words[offset // 8 + i])) for i, key in enumerate(_FIELDS)}
        if unit in _STATUS:
            found[unit]["status"] = int(words[_STATUS[unit] // 8])
    for i, key in enumerate(("kernel_code", "block_idx", "status")):
        found["AI Core"][key] = _show(key, int(words[_CORE // 8 + i]))
    return found


def _show(key: str, value: int) -> int | str:
    return hex(value) if key in _HEX else value
