"""A layer that is one primitive: what the class statement says, with the arguments it takes."""

from __future__ import annotations

from typing import Any, ClassVar

from msdump.runtime.cell import Cell
from msdump.runtime.primitive import Primitive


class OfPrimitive(Cell):
    """A layer that is one primitive, applied to one tensor.

    `class ELU(OfPrimitive, of="Elu", alpha=1.0)`: the layer takes alpha, the primitive's attribute.

    Class arguments:
        of: the primitive.
        at: the attribute the cell holds it at; by default its name in small letters.
        **attrs: argument → its default, `...` where it must be given.
    """

    _of: ClassVar[str]
    _at: ClassVar[str]
    _attrs: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, of: str = "", at: str = "", **attrs: Any) -> None:
        super().__init_subclass__()
        if of:
            cls._of, cls._at, cls._attrs = of, at or of.lower(), attrs

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()
        given = dict(zip(self._attrs, args, strict=False))
        if len(args) > len(self._attrs) or named.keys() - (self._attrs.keys() - given.keys()):
            raise TypeError(f"{self.cls_name} takes {', '.join(self._attrs) or 'no arguments'}, but got {args} {named}")
        self._given = {**self._attrs, **given, **named}
        if missing := [name for name, value in self._given.items() if value is ...]:
            raise TypeError(f"{self.cls_name} needs {', '.join(missing)}")
        setattr(self, self._at, Primitive(self._of, **self._given))

    def construct(self, x: Any) -> Any:
        """Apply the primitive."""
        return getattr(self, self._at)(x)

    def extend_repr(self) -> str:
        """The arguments."""
        return ", ".join(f"{name}={value}" for name, value in self._given.items())
