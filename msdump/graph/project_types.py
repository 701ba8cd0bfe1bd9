"""Types cut down to what a format can hold (see `msdump.graph.project`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from msdump.graph.abstract import Abstract, RefType, ScalarType, SequenceType, TensorType


class Keep(Protocol):
    """`keep(capability, value, without)`: the value where it is held, else what stands for it."""

    def __call__(self, capability: str, value: Any, without: Any, /) -> Any:
        """The value, or what stands for it without the capability."""


def cut_type(abstract: Abstract, keep: Keep, inside: bool = False) -> Abstract:
    """A type without what is not held; `inside` a tuple."""
    found = abstract
    if isinstance(abstract, RefType):
        tensor = cut_type(abstract.tensor, keep, inside)
        if not isinstance(tensor, TensorType):
            return tensor
        is_parameter, marks = keep("tensor_details", (abstract.is_parameter, abstract.marks), (False, ()))
        key = keep("ref_keys", abstract.ref_key, None)
        named = RefType(tensor, key, is_parameter, marks)
        found = keep("type_details", named, RefType(tensor))
        return found if keep("refs", True, False) else tensor
    if isinstance(abstract, TensorType):
        shape = keep("element_shapes", abstract.shape, None) if inside else abstract.shape
        ranged = keep("shape_ranges", (abstract.min_shape, abstract.max_shape), (None, None))
        value, kind = keep("tensor_details", (abstract.value, abstract.kind), (None, "Tensor"))
        found = replace(abstract, shape=shape, min_shape=ranged[0], max_shape=ranged[1], value=value, kind=kind)
        return keep("type_details", found, TensorType(found.dtype, found.shape))  # type: ignore[no-any-return]  # Keep is untyped
    if isinstance(abstract, SequenceType) and abstract.elements is not None:
        elements = tuple(cut_type(element, keep, True) for element in abstract.elements)
        found = replace(abstract, elements=elements)
        return keep("type_details", found, SequenceType(abstract.kind, elements))  # type: ignore[no-any-return]  # as above
    if isinstance(abstract, ScalarType):
        return keep("type_details", abstract, ScalarType(abstract.name))  # type: ignore[no-any-return]  # as above
    return found
