"""Device types as text: `<Float32xDefaultFormat[const vector][2, 3]>`, in the dumps of back-end graphs."""

from __future__ import annotations

import re

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.number import shape_of, shape_text
from msdump.graph.abstract import DeviceType

_DEVICE = re.compile(r"<(\w+?)x(\w+)\[const vector\][\[{]((?:-?\d{1,18}(?:, -?\d{1,18})*)?)[\]}]>")


def device_type(text: str) -> DeviceType | None:
    """A device type (`<Float32xDefaultFormat[const vector][2, 3]>`), None when `text` is none."""
    match = _DEVICE.fullmatch(text)
    return DeviceType(match[1], match[2], shape_of(match[3])) if match else None


def format_device(device: DeviceType, dialect: Dialect) -> str:
    """The text of a device type."""
    opening, close = dialect.types.vector[0], dialect.types.vector[1]
    return f"<{device.dtype}x{device.format}[const vector]{opening}{shape_text(device.shape)}{close}>"
