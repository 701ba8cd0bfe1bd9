"""Initializers for `weight_init=` and `bias_init=` of layers; their names as strings do as well."""

from __future__ import annotations

from msdump.runtime.initializer import *  # noqa: F403 - the initializers, all public
from msdump.runtime.initializer import __all__ as __all__
from msdump.runtime.tensor import initializer as initializer
