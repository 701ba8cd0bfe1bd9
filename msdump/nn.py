"""`nn` as MindSpore has it: `import msdump.nn as nn`, then `nn.Conv2d(…)`, `nn.Cell`."""

from __future__ import annotations

from msdump.runtime.nn import *  # noqa: F403 - the layers, all public
from msdump.runtime.nn import __all__ as __all__
