"""msdump reads, compares and converts the debug files of MindSpore, and brings what writes them.

Public names are imported when first used, so that `import msdump` costs almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msdump.version import VERSION as __version__

if TYPE_CHECKING:
    from msdump.errors import MsdumpError as MsdumpError
    from msdump.formats.print_writer import PrintWriter as PrintWriter
    from msdump.runtime.print_op import Print as Print

# Public name → the module that defines it, grouped as a reader of the documentation meets them.
_PUBLIC: dict[str, str] = {
    # errors
    "MsdumpError": "msdump.errors",
    # writing print logs
    "Print": "msdump.runtime.print_op",
    "PrintWriter": "msdump.formats.print_writer",
}
_MODULES: tuple[str, ...] = ("context", "ops")

__all__ = ["__version__", *_PUBLIC, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
    elif name in _MODULES:
        value = import_module(f"msdump.{name}")
    else:
        raise AttributeError(f"module 'msdump' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
