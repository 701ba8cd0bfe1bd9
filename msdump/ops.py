"""`ops` as MindSpore has it: `from msdump import ops`, then `ops.Print()(…)`."""

from __future__ import annotations

from msdump.runtime.print_op import Print

__all__ = ["Print"]
