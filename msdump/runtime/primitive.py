"""Primitives: what an operator is to a network, and the one place where every operator runs eagerly.

The Session is where compiling, dumping and profiling come in: when something is compiled or watched,
every call of a primitive goes there instead; when nothing is, it costs one test.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from msdump.dtype import by_numpy
from msdump.runtime.ops import registry
from msdump.runtime.promotion import ARRAYS
from msdump.runtime.session import current
from msdump.runtime.tensor import Tensor, plain

_NDARRAY = np.ndarray
_SEQUENCES = (tuple, list)
_new = Tensor.__new__


class Primitive:
    """An operator with its attributes.

    Attributes:
        name: MindSpore's name ("Conv2D").
        attrs: attributes by name, as they bind to the kernel.
        instance_name: the name of the cell's attribute it was put at ("conv2d"), or "".
    """

    operator: registry.Operator

    def __init__(self, name: str, **attrs: Any) -> None:
        found = registry.find(name)
        if found is None:
            raise ValueError(f"msdump has no operator {name}")
        self.name = name
        self.instance_name = ""
        self.operator = found
        self.attrs = attrs
        self._bind()

    def _bind(self) -> None:
        kernel = self.operator.kernel
        names = set(self.operator.params)
        bound = {key: plain(value) for key, value in self.attrs.items() if key in names}
        self._kernel: Callable[..., Any] = functools.partial(kernel, **bound) if bound else kernel
        self._writes = self.operator.effect == "memory"

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set one attribute; gives itself back."""
        self.attrs[name] = value
        self._bind()
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Name it by the attribute it stands at; gives itself back."""
        self.instance_name = name
        return self

    def __call__(self, *args: Any) -> Any:
        """Apply the operator to Tensors and Python values."""
        on_primitive = current().on_primitive
        return self.run(args) if on_primitive is None else on_primitive(self, args)

    def run(self, args: tuple[Any, ...]) -> Any:
        """Compute on Tensors and Python values, whatever is compiled or watched."""
        if self._writes:
            _own_memory(args)
        values = [a._data if type(a) is Tensor else plain(a) for a in args]
        try:
            out = self._kernel(*values)
        except ValueError as error:
            raise self._told(error) from None
        if type(out) is _NDARRAY:
            made: Tensor = _new(Tensor)
            made._data = out
            made._init = None
            return made
        return wrap(out)

    def _told(self, error: ValueError) -> ValueError:
        text = str(error)
        return error if text.startswith("For '") else ValueError(f"For '{self.name}', {text}")

    def __reduce__(self) -> Any:
        return _remade, (self.name, self.attrs, self.instance_name)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.attrs.items())
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")


def _remade(name: str, attrs: dict[str, Any], instance_name: str) -> Primitive:
    """A copy of a primitive."""
    return Primitive(name, **attrs).set_prim_instance_name(instance_name)


class SharedPrimitive(Primitive):
    """A primitive that is one of the functions of `msdump.ops`: every network uses the same one."""

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Stay without a name: a cell that keeps the function at an attribute does not own it."""
        return self

    def __reduce__(self) -> Any:
        return _shared, (self.name,)


@functools.cache
def _shared(name: str) -> SharedPrimitive:
    made = SharedPrimitive(name)
    made.__doc__ = made.operator.kernel.__doc__
    return made


def shared(name: str) -> SharedPrimitive:
    """The one primitive without attributes of a name."""
    return _shared(name)


def _own_memory(args: tuple[Any, ...]) -> None:
    """Give every Parameter memory of its own before it is written in place: views of it keep their values."""
    for a in args:
        if isinstance(a, Tensor) and type(a) is not Tensor:
            a._data = a._data.copy()


def wrap(value: Any) -> Any:
    """A kernel's result with arrays as Tensors, and element types as DTypes."""
    if isinstance(value, ARRAYS):
        made: Tensor = _new(Tensor)
        made._data = np.asarray(value)
        made._init = None
        return made
    if isinstance(value, _SEQUENCES):
        return type(value)(wrap(v) for v in value)
    return element_type(value)


def element_type(value: Any) -> Any:
    """A numpy dtype as the DType that users know; another value as it is."""
    return by_numpy(value) or value if isinstance(value, np.dtype) else value


@functools.cache
def primitive_class(name: str) -> type[Primitive]:
    """The class of one operator: its constructor takes the attributes, in MindSpore's order.

    KeyError when there is no such operator.
    """
    found = registry.OPERATORS[name]
    order = found.attrs

    def __init__(self: Primitive, *args: Any, **attrs: Any) -> None:
        if len(args) > len(order):
            raise TypeError(f"{name} takes {len(order)} attributes, but {len(args)} were given")
        given = dict(zip(order, args, strict=False))
        for key, value in attrs.items():
            spelled = _spelled(found, key)
            if spelled is None or spelled in given:
                raise TypeError(f"{name} has no attribute {key}; it takes {', '.join(order) or 'none'}")
            given[spelled] = value
        Primitive.__init__(self, name, **given)

    doc = (found.kernel.__doc__ or name).strip()
    if order:
        doc += "\n\nAttributes: " + ", ".join(
            key + (f"={found.defaults[key]!r}" if key in found.defaults else "") for key in order
        )
    return type(name, (Primitive,), {"__init__": __init__, "__doc__": doc, "__module__": "msdump.ops"})


def _spelled(found: registry.Operator, key: str) -> str | None:
    if key in found.attrs:
        return key
    for name, others in found.spelling.items():
        if key in others or key.lower() == name.lower():
            return name
    return None
