"""Print files of the corpus where MindSpore 2.7's parse_print is wrong: what the bytes say instead.

Each entry: the file's name, why parse_print's answer is not taken, and what ours gives: strings,
(dtype, shape, values row by row), `Bad` with dtype, dims and what is wrong, and last, where the file is cut or is
none, the error with its byte offset.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Bad(NamedTuple):
    dtype: str
    shape: tuple[int, ...]
    what: str


class Error(NamedTuple):
    type: str
    offset: int


UNSIGNED = "it has no entry for the older writer's Uint8 ... Uint64 and takes them for Float64"
COMPLEX = "it takes complex numbers for Float64"
EMPTY = "it takes the first of a dims of [0] for granted"
ONE_BAD = "one value that cannot be read loses the whole file"
CUT = "a cut tail loses the whole file"
UNSET = "it drops a value in which nothing is set"

_C64 = [
    -0.48086443543434143 - 1.1633906364440918j,
    0.8068782091140747 - 1.6771944761276245j,
    0.6132977604866028 - 1.1765472888946533j,
    -0.8439468145370483 - 1.7409448623657227j,
    -0.7788484692573547 - 0.30652081966400146j,
    0.1299567073583603 - 0.009476415812969208j,
]
_C128 = [
    1.3222335186031744 + 0.4972865189682287j,
    -0.23868642917794716 + 0.018386001888204575j,
    -1.7931555093588523 + 2.348828948477567j,
    -0.06160508609924029 - 0.5920597956203887j,
    0.18363900370981212 + 1.6704475570380852j,
    0.7967517683296942 - 1.0077804797794567j,
]
_F32 = [
    -1.8803057670593262,
    0.4679705500602722,
    0.4126606285572052,
    -0.2129795402288437,
    -1.9310481548309326,
    -1.584380865097046,
]
_F64 = [
    -1.2955270174104299,
    -1.0167361266991453,
    2.36507211763576,
    0.07589256426030346,
    -1.2464649364563813,
    0.8123268772419056,
]
_ALL: list[Any] = [
    *("int8:", ("Int8", (2, 3), [-128, 127, 25, 67, 83, 23])),
    *("uint8:", ("UInt8", (2, 3), [0, 255, 14, 23, 72, 89])),
    *("int16:", ("Int16", (2, 3), [-32768, 32767, 8, 39, 68, 48])),
    *("uint16:", ("UInt16", (2, 3), [0, 65535, 0, 75, 55, 6])),
    *("int32:", ("Int32", (2, 3), [-2147483648, 2147483647, 44, 63, 69, 56])),
    *("uint32:", ("UInt32", (2, 3), [0, 4294967295, 53, 61, 64, 34])),
    *("int64:", ("Int64", (2, 3), [-9223372036854775808, 9223372036854775807, 78, 38, 4, 9])),
    *("uint64:", ("UInt64", (2, 3), [0, 18446744073709551615, 67, 72, 83, 48])),
    "float16:",
    ("Float16", (2, 3), [2.396484375, -0.365966796875, -0.1412353515625, 0.42138671875, -0.410400390625, -1.71484375]),
    "float32:",
    ("Float32", (2, 3), _F32),
    "float64:",
    ("Float64", (2, 3), _F64),
    *("bool:", ("Bool", (2, 3), [False, True, False, True, True, True])),
]
_NOT_UTF8 = Bad("", (), "the string is not UTF-8: byte 4 of it is 0xff")

FAULTS: dict[str, tuple[str, list[Any]]] = {
    "content_long": (ONE_BAD, [Bad("Float32", (4,), "the content has 20 bytes, Float32[4] needs 16")]),
    "content_not_multiple": (ONE_BAD, [Bad("Float32", (4,), "the content has 15 bytes, Float32[4] needs 16")]),
    "content_short": (ONE_BAD, [Bad("Float32", (4,), "the content has 12 bytes, Float32[4] needs 16")]),
    "missing_required_content": (ONE_BAD, [Bad("Float32", (2,), "tensor_content is missing")]),
    "missing_required_type": (ONE_BAD, [Bad("", (2,), "tensor_type is missing")]),
    "new_complex64": (COMPLEX, [("Complex64", (2, 3), _C64)]),
    "new_complex128": (COMPLEX, [("Complex128", (2, 3), _C128)]),
    "new_scalar_complex128": (COMPLEX, [("Complex128", (), [0.9501820213987859 + 0.07635813525047391j])]),
    "new_empty_0": (EMPTY, [("Float32", (0,), [])]),
    "old_dims_zero": (EMPTY, [("Float32", (0,), [])]),
    "scalar_empty_content": (ONE_BAD, [Bad("Float32", (), "the content has 0 bytes, Float32[] needs 4")]),
    "new_invalid_utf8": (ONE_BAD, [_NOT_UTF8, "after", ("Float32", (), [1.0])]),
    "old_invalid_utf8": (ONE_BAD, [_NOT_UTF8, "after"]),
    "new_unknown_type_Float8E5M2": (
        "it knows no Float8",
        [("Float8E5M2", (4,), [2.0**-16, 2.0**-15, 1.5 * 2.0**-15, 2.0**-14])],
    ),
    "new_unknown_type_QInt4x2": (ONE_BAD, [Bad("QInt4x2", (4,), 'the type "QInt4x2" is unknown')]),
    "new_unknown_type_empty": (ONE_BAD, [Bad("", (4,), "the type is empty")]),
    "new_unknown_type_float32": (ONE_BAD, [Bad("float32", (4,), "the content has 4 bytes, Float32[4] needs 16")]),
    "new_unknown_type_kNumberTypeFloat32": (
        ONE_BAD,
        [Bad("kNumberTypeFloat32", (4,), 'the type "kNumberTypeFloat32" is unknown')],
    ),
    "old_all_dtypes": (UNSIGNED, _ALL),
    "old_scalar_uint8": (UNSIGNED, [("UInt8", (), [77])]),
    "old_scalar_uint32": (UNSIGNED, [("UInt32", (), [6])]),
    "old_uint16": (UNSIGNED, [("UInt16", (2, 3), [0, 65535, 54, 38, 70, 21])]),
    "old_uint32": (UNSIGNED, [("UInt32", (2, 3), [0, 4294967295, 62, 86, 98, 12])]),
    "random_bytes": ("it is no print file", [Error("DecodeError", 0)]),
    "trunc_001": (CUT, [Error("TruncatedError", 0)]),
    "trunc_002": (CUT, [Error("TruncatedError", 0)]),
    "trunc_005": (CUT, [Error("TruncatedError", 0)]),
    "trunc_012": (CUT, ["tensor:", Error("TruncatedError", 11)]),
    "trunc_100": (CUT, ["tensor:", Error("TruncatedError", 11)]),
    "trunc_293": (CUT, ["tensor:", ("Float32", (8, 8), [float(n) for n in range(64)]), Error("TruncatedError", 289)]),
    "value_unset": (UNSET, [Bad("", (), "neither desc nor tensor is set"), "after"]),
}
