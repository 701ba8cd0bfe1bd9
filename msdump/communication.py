"""`communication` as MindSpore has it: `from msdump.communication import init, get_rank, get_group_size`."""

from __future__ import annotations

from msdump.runtime.communication import get_group_size, get_rank, init, release

__all__ = ["get_group_size", "get_rank", "init", "release"]
