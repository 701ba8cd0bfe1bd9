"""The functions of `msdump.ops`, in MindSpore's names: each calls one primitive, or a few."""

from __future__ import annotations

from msdump.runtime.functions.build import BFLOAT16 as BFLOAT16
from msdump.runtime.functions.build import BOOL as BOOL
from msdump.runtime.functions.build import FLOAT16 as FLOAT16
from msdump.runtime.functions.build import FLOAT32 as FLOAT32
from msdump.runtime.functions.build import FLOAT64 as FLOAT64
from msdump.runtime.functions.build import INT32 as INT32
from msdump.runtime.functions.build import INT64 as INT64
from msdump.runtime.functions.elementwise import *  # noqa: F403 - one namespace, as MindSpore has it
from msdump.runtime.functions.indexing import get_item as get_item
from msdump.runtime.functions.network import *  # noqa: F403 - one namespace, as MindSpore has it
from msdump.runtime.functions.reduce import *  # noqa: F403 - one namespace, as MindSpore has it
from msdump.runtime.functions.shape import *  # noqa: F403 - one namespace, as MindSpore has it
