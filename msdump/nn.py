"""`nn` as MindSpore has it: `import msdump.nn as nn`, then `nn.Conv2d(…)`, `nn.Cell`."""

from __future__ import annotations

from msdump.context import connect
from msdump.runtime.modes import follow_context
from msdump.runtime.nn import *  # noqa: F403 - the layers, all public
from msdump.runtime.nn import __all__ as __all__

connect()  # what a network writes goes out by the door of the context
follow_context()
