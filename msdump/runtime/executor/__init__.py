"""The executor: any Graph, wherever it came from, on numpy."""

from msdump.runtime.executor.machine import Executor, Observer
from msdump.runtime.executor.plan import Missing, is_executable, missing_operators
from msdump.runtime.executor.single import execute_node

__all__ = ["Executor", "Missing", "Observer", "execute_node", "is_executable", "missing_operators"]
