"""The command line: one command a file, each a thin layer over one library call.

Nothing heavy is imported here: `msdump --version` costs little more than click itself.
"""

from __future__ import annotations

from msdump.cli.app import main

__all__ = ["main"]
