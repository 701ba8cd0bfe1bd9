"""All that rewritten code calls, by the name that `rewrite` gives to this module: `_msdump_flow`."""

from __future__ import annotations

from msdump.runtime.tracing.calls import call, call_method
from msdump.runtime.tracing.control import branch, branch_early, choose, finish
from msdump.runtime.tracing.iteration import loop_over, loop_over_early, loop_while, loop_while_early
from msdump.runtime.tracing.logic import and_, and_value, compare, not_, or_, or_value
from msdump.runtime.tracing.ownership import made
from msdump.runtime.tracing.signals import Break, Fall, Next, Return, Undefined
from msdump.runtime.tracing.stores import check, check_raise, set_attribute, set_item, set_item_around, set_item_outside

__all__ = [
    "Break",
    "Fall",
    "Next",
    "Return",
    "Undefined",
    "and_",
    "and_value",
    "branch",
    "branch_early",
    "call",
    "call_method",
    "check",
    "check_raise",
    "choose",
    "compare",
    "finish",
    "loop_over",
    "loop_over_early",
    "loop_while",
    "loop_while_early",
    "made",
    "not_",
    "or_",
    "or_value",
    "set_attribute",
    "set_item",
    "set_item_around",
    "set_item_outside",
]
