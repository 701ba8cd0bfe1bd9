"""Tensor: a numpy array with MindSpore's types, names and manners.

What a Tensor is stands here; what it can compute is registered with it (`tensor_methods`), since
operators take Tensors and give them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from msdump import dtype as types
from msdump.dtype import DType
from msdump.ms_text import tensor_text
from msdump.runtime.initializer import filled
from msdump.runtime.promotion import FLOAT32, INT64, numpy_type

if TYPE_CHECKING:
    from msdump.runtime.tensor_methods import TensorMethods
else:
    TensorMethods = object

Array = np.ndarray[Any, Any]


class Tensor(TensorMethods):
    """A tensor of MindSpore's semantics.

    Args:
        input_data: a Tensor, array, number, bool, or nested tuples and lists of these; copied.
            Python floats become Float32, ints Int64, bools Bool; arrays keep their type.
        dtype: the element type (`msdump.float32`, a name, a numpy type), or None.
        shape: with `init`: the shape of a tensor that `init_data` fills.
        init: an initializer (msdump.runtime.initializer), its name, or a number.

    TypeError for data that no tensor can hold.
    """

    __slots__ = ("__weakref__", "_data", "_init")
    _data: Array

    def __init__(self, input_data: Any = None, dtype: Any = None, shape: Any = None, init: Any = None) -> None:
        self._init: tuple[Any, tuple[int, ...], np.dtype[Any]] | None = None
        target = None if dtype is None else numpy_type(dtype)
        if init is not None:
            if input_data is not None:
                raise TypeError("For 'Tensor', give input_data or init, not both.")
            sizes = (shape,) if isinstance(shape, int) else tuple(shape or ())
            self._init = (init, sizes, target or FLOAT32)
            self._data = np.zeros(sizes, target or FLOAT32)
            return
        self._data = as_array(input_data, target)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes from the outermost dimension in."""
        found: tuple[int, ...] = self._data.shape
        return found

    @property
    def dtype(self) -> DType:
        """The element type, such as `msdump.float32`."""
        found = types.by_numpy(self._data.dtype)
        assert found is not None  # as_array lets no other type in
        return found

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """How many elements."""
        return self._data.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._data.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._data.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, a dimension."""
        return self._data.strides

    @property
    def has_init(self) -> bool:
        """Whether `init_data` is still to be called."""
        return self._init is not None

    def init_data(self) -> Tensor:
        """Fill a tensor that was made with `init`; gives itself back."""
        if self._init is not None:
            self._data = filled(*self._init)
            self._init = None
        return self

    def asnumpy(self) -> Array:
        """The values as a numpy array (BFloat16 in ml_dtypes' type).

        It shares memory with the tensor where the tensor owns it; a view of another tensor is copied.
        """
        data = self.init_data()._data
        if data.base is not None or not data.flags.writeable:
            # What is a view of another tensor must not become a way to write into that one.
            data = self._data = data.copy()
        return data

    def numpy(self) -> Array:
        """The same as asnumpy()."""
        return self.asnumpy()

    @staticmethod
    def from_numpy(array: Array) -> Tensor:
        """A tensor of an array's values, without copying."""
        return wrap_array(np.asarray(array))

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self.init_data()._data.tolist()

    def item(self, index: Any = None) -> Any:
        """The one element as a Python number, or the element at an index."""
        data = (
            self._data
            if index is None
            else self._data.reshape(-1)[index]
            if isinstance(index, int)
            else self._data[index]
        )
        if data.size != 1:
            raise ValueError(f"Tensor.item needs a tensor of one element, but this one has {data.size}.")
        return data.item()

    def set_data(self, data: Any) -> None:
        """Take the values of another tensor."""
        self._data = as_array(data, None)
        self._init = None

    def assign_value(self, value: Any) -> Tensor:
        """Take the values of another tensor; gives itself back."""
        self.set_data(value)
        return self

    def copy(self) -> Tensor:
        """A tensor of its own with the same values."""
        return wrap_array(self._data.copy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self._data if dtype is None else self._data.astype(dtype)

    def __repr__(self) -> str:
        return tensor_text(self.init_data()._data, "pynative")

    def __str__(self) -> str:
        data = self.init_data()._data
        if data.size == 0 and data.ndim:
            return "[]"
        return str(data)

    def __len__(self) -> int:
        if not self._data.ndim:
            raise TypeError("Not support len of a 0-D tensor")
        return len(self._data)

    def __iter__(self) -> Iterator[Tensor]:
        if not self._data.ndim:
            raise TypeError("a 0-D tensor cannot be iterated over")
        for i in range(len(self._data)):
            yield self[i]

    def _single(self) -> Any:
        if self._data.size != 1:
            raise ValueError(
                f"The tensor should have only one element, but got {self._data.size}, "
                "more than one element is ambiguous."
            )
        return self._data.item()

    def __bool__(self) -> bool:
        return bool(self._single())

    def __int__(self) -> int:
        return int(self._single())

    def __float__(self) -> float:
        return float(self._single())

    def __complex__(self) -> complex:
        return complex(self._single())

    def __index__(self) -> int:
        return operator.index(self._single())

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return format(self._single(), spec) if spec and self._data.size == 1 else format(str(self), spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.copy()

    def __setitem__(self, index: Any, value: Any) -> None:
        # Views share memory in numpy and not here: what is written into becomes this tensor's own.
        data = self.init_data()._data.copy()
        data[plain_index(index)] = plain(value)
        self._data = data


def register(methods: type) -> None:
    """Give Tensor the operators and methods of a class: the one way by which they reach it."""
    for name, found in vars(methods).items():
        if callable(found) or isinstance(found, property):
            setattr(Tensor, name, found)


def initializer(init: Any, shape: Any = None, dtype: Any = FLOAT32) -> Tensor:
    """A new Tensor filled by an initializer, its name, a number, or a tensor of that shape."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape if shape is not None else ())
    return wrap_array(filled(init, sizes, numpy_type(dtype)))


def wrap_array(array: Array) -> Tensor:
    """A Tensor around an array, without copying."""
    made = Tensor.__new__(Tensor)
    made._data = array
    made._init = None
    return made


def plain(value: Any) -> Any:
    """A value with every Tensor in it as its array; tuples, lists and dicts keep their kind."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, Tensor):
        return value._data if value._init is None else value.init_data()._data
    if kind is tuple:
        for v in value:
            if type(v) not in _ATOMS:
                return tuple([plain(v) for v in value])
        return value
    if isinstance(value, _SEQUENCES):
        return kind(plain(v) for v in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


_ATOMS = frozenset({int, float, bool, str, type(None), np.ndarray, DType})
_SEQUENCES = (tuple, list)


def plain_index(index: Any) -> Any:
    """An index with Tensors in it as numpy has it."""
    if isinstance(index, tuple):
        return tuple(plain_index(i) for i in index)
    if isinstance(index, slice):
        return slice(*(None if v is None else operator.index(v) for v in (index.start, index.stop, index.step)))
    if isinstance(index, list):
        return np.asarray([plain(i) for i in index])
    return plain(index)


def as_array(data: Any, target: np.dtype[Any] | None) -> Array:
    """A copy of data as an array of a type MindSpore has; TypeError when it has none."""
    if data is None:
        data = np.zeros((), target or FLOAT32)
    if isinstance(data, Tensor):
        array = data.init_data()._data
    elif isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
    elif isinstance(data, bool | int | float | complex | tuple | list):
        array = np.asarray(plain(data) if isinstance(data, tuple | list) else data)
        if array.dtype.kind == "f" and not _holds_array(data):
            array = array if target is not None else array.astype(FLOAT32)
        elif array.dtype == np.int32:
            array = array.astype(INT64)
    elif hasattr(data, "__array__"):
        array = np.asarray(data)
    else:
        raise TypeError(
            f"For Tensor, the 'input_data' must be one of [Tensor, ndarray, int, float, complex, bool, tuple, list], "
            f"but got {type(data).__name__}."
        )
    if target is None and types.by_numpy(array.dtype) is None:
        raise TypeError(f"For Tensor, the element type {array.dtype} of 'input_data' is not supported.")
    if target is None or array.dtype == target:
        return array.astype(array.dtype.newbyteorder("="), copy=True) if not array.dtype.isnative else array.copy()
    with np.errstate(all="ignore"):
        return array.astype(target)


def _holds_array(data: Any) -> bool:
    while isinstance(data, tuple | list) and data:
        data = data[0]
    return isinstance(data, Tensor | np.ndarray | np.generic)
