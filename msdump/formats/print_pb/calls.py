"""The metadata of calls that stand whole in a window of bytes, read the short way.

Files hold millions of calls, and those of one line of source end their metadata alike: what stands
after the call's number and time is parsed once and known again. Anything unusual is left to
`print_meta.decode`.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from msdump.formats import print_meta
from msdump.records import PrintMeta

# TAG, length, tag and payload_length, tag and crc32, tag of call.
_HEAD = struct.Struct("<5sHBQBIB")
_TIME = struct.Struct("<BQ")
_COVERED = _HEAD.size - 1
_MOST_PLACES = 4096

Place = tuple[int, "int | None", str, int]


@dataclass(slots=True, eq=True)
class _Draft:
    """A PrintMeta in the making, as records._Draft is a PrintRecord."""

    call: int
    time_ns: int
    rank: int
    step: int | None
    file: str
    line: int


class CallReader:
    """Reads the metadata of the calls of one file."""

    def __init__(self) -> None:
        self._places: dict[bytes, Place] = {}

    def read(self, data: bytes, at: int, check: bool = True) -> tuple[PrintMeta, int, int] | None:
        """The metadata of the call at `at`, and the offsets in `data` of its values and of its end.

        None when the call is not whole in `data`, is damaged, or (with `check`) has another checksum
        than its bytes.
        """
        if len(data) - at < _HEAD.size:
            return None
        tag, length, tag1, payload, tag2, crc, tag3 = _HEAD.unpack_from(data, at)
        values = at + 7 + (length & 0x7F | length >> 8 << 7)
        end = values + payload
        if tag != print_meta.TAG or tag1 != 0x09 or tag2 != 0x15 or length & 0x8080 != 0x80 or end > len(data):
            return None
        if check and zlib.crc32(data[at + _COVERED : end]) != crc:
            return None
        number = shift = 0
        q = at + _HEAD.size
        while q < values and data[q] > 0x7F and shift < 63:
            number |= (data[q] & 0x7F) << shift
            shift += 7
            q += 1
        if values - q < 1 + _TIME.size:
            return self._long(data, at)
        number |= data[q] << shift
        tag4, time_ns = _TIME.unpack_from(data, q + 1)
        if tag3 != 0x18 or tag4 != 0x21 or number >> 64:
            return self._long(data, at)
        rest = data[q + 1 + _TIME.size : values]
        place = self._places.get(rest)
        if place is None:
            found = self._long(data, at)
            if found is not None and (found[0].call, found[0].time_ns) == (number, time_ns):
                meta = found[0]
                if len(self._places) < _MOST_PLACES:
                    self._places[rest] = (meta.rank, meta.step, meta.file, meta.line)
            return found
        draft = _Draft(number, time_ns, *place)
        draft.__class__ = PrintMeta  # type: ignore[assignment]  # the slots are the same
        return draft, values, end  # type: ignore[return-value]  # it is one now

    def _long(self, data: bytes, at: int) -> tuple[PrintMeta, int, int] | None:
        header = print_meta.decode(data, at)
        return None if header is None else (header.meta, header.payload, header.end)
