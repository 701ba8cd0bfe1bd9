"""Parameter: a Tensor that belongs to a network and has a name in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from msdump.runtime import tensor_methods  # noqa: F401 - a Parameter computes wherever it comes from
from msdump.runtime.initializer import filled
from msdump.runtime.session import current
from msdump.runtime.tensor import Array, Tensor, as_array

_count = itertools.count()
GENERATED = "Parameter#"
"""How the names begin that parameters have until a cell names them."""


class Parameter(Tensor):
    """A weight of a network.

    Args:
        default_input: a Tensor, array, number, or nested lists.
        name: its name; without one, the attribute of the cell it is put at.
        requires_grad: whether training changes it.

    Attributes:
        name: with the names of the cells around it once they hold it: "conv.weight".
    """

    __slots__ = ("_name", "layerwise_parallel", "parallel_optimizer", "requires_grad")

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ) -> None:
        super().__init__(default_input)
        if name is not None and not isinstance(name, str):
            raise ValueError(f"The type of the Parameter's name should be 'string' or 'None', but got {type(name)}.")
        self._name = name or f"{GENERATED}{next(_count)}"
        if not isinstance(requires_grad, bool):
            raise TypeError(f"The argument `requires_grad` must be bool type, but got {type(requires_grad).__name__}.")
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer

    @property
    def name(self) -> str:
        """The parameter's name in its network."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def has_generated_name(self) -> bool:
        """Whether no one named it yet."""
        return self._name.startswith(GENERATED)

    @property
    def data(self) -> Parameter:
        """The parameter itself, as MindSpore has it."""
        return self

    def value(self) -> Tensor:
        """A Tensor with the values it has now."""
        self._read()
        return Tensor(self)

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:  # type: ignore[override]  # gives itself back, as MindSpore's does
        """Take other values of the same shape, in the parameter's type. ValueError when the shape differs."""
        recorder = current().thread.recorder
        if recorder is not None:
            recorder.assign(self, data)
            return self
        array = as_array(data, self._data.dtype)
        if array.shape != self._data.shape and not slice_shape:
            raise ValueError(
                f"Can not change the shape of Parameter which has been initialized. Current shape is "
                f"{self._data.shape}, and incoming is {array.shape}."
            )
        self._data = array
        return self

    def _read(self) -> None:
        recorder = current().thread.recorder
        if recorder is not None:
            recorder.refuse_values(self)

    def asnumpy(self) -> Array:
        """The values as a numpy array; see Tensor.asnumpy."""
        self._read()
        return super().asnumpy()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        self._read()
        return super().tolist()

    def item(self, index: Any = None) -> Any:
        """One element as a Python number; see Tensor.item."""
        self._read()
        return super().item(index)

    def copy(self) -> Tensor:
        """A tensor of its own with the same values."""
        self._read()
        return super().copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        self._read()
        return super().__array__(dtype, copy)

    def _single(self) -> Any:
        self._read()
        return super()._single()

    def clone(self, init: Any = "same") -> Parameter:
        """A parameter of its own with the same values, or filled by an initializer."""
        made = Parameter(self, self._name, self.requires_grad)
        if init != "same":
            made._data = filled(init, self._data.shape, self._data.dtype)
        return made

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self._name}, shape={self.shape}, dtype={self.dtype.name}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        return self.clone()

    def __reduce__(self) -> Any:
        return Parameter, (self._data, self._name, self.requires_grad)


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters, each with a name of its own.

    TypeError for anything else; ValueError when two have one name.
    """

    __slots__ = ()

    def __new__(cls, iterable: Any) -> ParameterTuple:
        """Check and keep the parameters."""
        items = tuple(iterable)
        names: set[str] = set()
        for item in items:
            if not isinstance(item, Parameter):
                raise TypeError(f"For ParameterTuple, all elements must be Parameter, but got {type(item).__name__}.")
            if item.name in names:
                raise ValueError(f"The value {item} , its name '{item.name}' already exists.")
            names.add(item.name)
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Copies with a prefix before their names."""

        def copies() -> Iterator[Parameter]:
            for item in self:
                made = item.clone(init)
                made.name = f"{prefix}.{item.name}"
                yield made

        return ParameterTuple(copies())
