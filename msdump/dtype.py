"""The one table of element types: MindSpore's names in every spelling, schema numbers, numpy types.

Every other module asks here; none keeps names or numbers of its own. Sources: the spellings of
print.pb's two writers, the TypeId numbers printed in graph dumps, `DataType` of anf_ir.proto and
mind_ir.proto, and `OutputDataType` of the dump schema.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    Attributes:
        name: MindSpore's spelling of 2.x, such as "Float32", "BFloat16", "UInt8".
        numpy: name of the numpy or ml_dtypes type, such as "float32", "bfloat16", "uint8".
        bits: bits one element takes when packed (4 for Int4); a multiple of 8 for the others.
        type_id: MindSpore's TypeId number as graph dumps print it (`Tensor(43)`), or None.
        anf: number in anf_ir.proto's DataType, or None.
        mindir: number in mind_ir.proto's TensorProto.DataType, or None.
        dump: number in the asynchronous dump schema, or None.
        aliases: other spellings, matched without regard to case.
        ml: True when the numpy type comes from ml_dtypes.
    """

    name: str
    numpy: str
    bits: int
    type_id: int | None = None
    anf: int | None = None
    mindir: int | None = None
    dump: int | None = None
    aliases: tuple[str, ...] = ()
    ml: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def np(self) -> np.dtype[Any]:
        """The numpy dtype in native byte order (ml_dtypes is imported when needed)."""
        return _numpy_dtype(self.numpy, self.ml)


@functools.cache
def _numpy_dtype(name: str, ml: bool) -> np.dtype[Any]:
    import numpy as np

    if ml:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    return np.dtype(name)


# TypeId numbers: MindSpore's type_id.h as of 2.7 and 2.10 (2.7 asked, 2.10 from `Cast(x, I64(51))` of
# graph dumps); releases before number the types behind Float64 otherwise, see _OLDER_IDS.
DTYPES: tuple[DType, ...] = (
    DType("Bool", "bool", 8, 30, 1, 9, 11, ("bool_",)),
    DType("Int8", "int8", 8, 32, 2, 3, 3, ("I8",)),
    DType("Int16", "int16", 16, 33, 3, 5, 5, ("I16",)),
    DType("Int32", "int32", 32, 34, 4, 6, 7, ("I32",)),
    DType("Int64", "int64", 64, 35, 5, 7, 8, ("I64",)),
    DType("UInt8", "uint8", 8, 37, 6, 2, 4, ("U8",)),
    DType("UInt16", "uint16", 16, 38, 7, 4, 6, ("U16",)),
    DType("UInt32", "uint32", 32, 39, 8, 12, 9, ("U32",)),
    DType("UInt64", "uint64", 64, 40, 9, 13, 10, ("U64",)),
    DType("Float16", "float16", 16, 42, 10, 10, 2, ("F16", "half")),
    DType("Float32", "float32", 32, 43, 11, 1, 1, ("F32", "float")),
    DType("Float64", "float64", 64, 44, 12, 11, 12, ("F64", "double")),
    DType("BFloat16", "bfloat16", 16, 45, 46, 16, 27, ("BF16",), ml=True),
    DType("Complex64", "complex64", 64, 51, 43, 14, 16, ("C64",)),
    DType("Complex128", "complex128", 128, 52, 44, 15, 17, ("C128",)),
    DType("Int4", "int4", 4, 53, 48, None, 28, ("I4",), ml=True),
    DType("UInt1", "bool", 1, None, None, None, 29),
    DType("Int2", "int2", 2, None, None, None, 30, ml=True),
    DType("UInt2", "uint2", 2, None, None, None, 31, ml=True),
    DType("Float8E5M2", "float8_e5m2", 8, 47, None, None, 34, ("F8E5M2",), ml=True),
    DType("Float8E4M3FN", "float8_e4m3fn", 8, 46, None, None, 35, ("F8E4M3FN", "Float8E4M3"), ml=True),
    DType("Float8E8M0", "float8_e8m0fnu", 8, None, None, None, 36, ("F8E8M0",), ml=True),
    DType("Float6E3M2", "float6_e3m2fn", 6, None, None, None, 37, ("F6E3M2",), ml=True),
    DType("Float6E2M3", "float6_e2m3fn", 6, None, None, None, 38, ("F6E2M3",), ml=True),
    DType("Float4E2M1", "float4_e2m1fn", 4, None, None, None, 39, ("F4E2M1",), ml=True),
    # Two float16 in four bytes; numpy has no such type, so values are complex64.
    DType("Complex32", "complex64", 32, None, None, None, 32, ("C32",)),
)

# MindSpore's names of the types as users write them: `msdump.float32`, `dtype.float32`.
(
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, float32, float64, bfloat16, complex64, complex128,
) = DTYPES[:15]  # fmt: skip

_BY_NUMPY: dict[str, DType] = {d.numpy: d for d in reversed(DTYPES) if d.bits != 1}
_BY_NAME: dict[str, DType] = {
    **{spelling.casefold(): d for spelling, d in _BY_NUMPY.items()},
    **{spelling.casefold(): d for d in DTYPES for spelling in (d.name, *d.aliases)},
}


def by_name(spelling: str) -> DType | None:
    """The type a spelling means ("Uint8", "UInt8", "bfloat16", "F32", …), or None if unknown."""
    return _BY_NAME.get(spelling.casefold())


def by_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The type of a numpy dtype of any byte order, or None when MindSpore has no such type."""
    return _BY_NUMPY.get(dtype.name)


_OLDER_IDS = {
    "type_id_1": {46: "Complex64", 47: "Complex128"},  # `Tensor(46)` in dumps of 1.6 and 1.10
    "type_id_2.5": {48: "Complex64", 49: "Complex128", 50: "Int4"},  # `Cast(x, I64(48))` in dumps of 2.5
}
"""TypeId numbers that older releases give another type; the others up to 45 are the same in all."""
_SAME_IDS = 45


def by_number(schema: str, number: int) -> DType | None:
    """The type with a number in a schema: "type_id" (2.7 and later), "type_id_2.5", "type_id_1"
    (1.x), "anf", "mindir" or "dump"."""
    return _by_number(schema).get(number)


@functools.cache
def _by_number(schema: str) -> dict[int, DType]:
    if schema in _OLDER_IDS:
        same = {n: d for n, d in _by_number("type_id").items() if n <= _SAME_IDS}
        return same | {n: _BY_NAME[name.casefold()] for n, name in _OLDER_IDS[schema].items()}
    return {n: d for d in DTYPES if (n := getattr(d, schema)) is not None}


@functools.cache
def name_of(dtype: np.dtype[Any]) -> str:
    """MindSpore's spelling of 2.x, or numpy's name where MindSpore has no such type."""
    known = by_numpy(dtype)
    return known.name if known else dtype.name
