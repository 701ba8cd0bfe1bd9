"""The settings of `set_auto_parallel_context`, and the rule that a compiled network freezes them."""

from __future__ import annotations

import os
from typing import Any

from msdump.runtime.session import current
from msdump.runtime.settings import ContextError, Setting, in_range, one_of


class ParallelMode:
    """Names of the parallel modes."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


def _fusion(name: str, value: list[int] | None) -> list[int]:
    if not value:
        raise ValueError(f"'{name}' should not be empty")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item < 0:
            raise TypeError(f"'{name}' should be a list of int from 0 on, but it has {item!r}")
    if sorted(set(value)) != value:
        raise ValueError(f"'{name}' should be ascending and without duplicates, but got {value}")
    return list(value)


_SEARCHES = ("dynamic_programming", "recursive_programming", "sharding_propagation")

PARALLEL_TABLE: tuple[Setting, ...] = (
    Setting("device_num", (int,), 1, "devices in all", in_range(1, 4096)),
    Setting("global_rank", (int,), 0, "rank of this process", in_range(0, 4095)),
    Setting("gradients_mean", (bool,), False, "mean of the gradients after AllReduce, not their sum", effect="kept"),
    Setting("gradient_fp32_sync", (bool,), True, "gradients are exchanged as Float32", effect="kept"),
    Setting("parallel_mode", (str,), ParallelMode.STAND_ALONE, "how work is shared", one_of(*ParallelMode.MODE_LIST)),
    Setting("auto_parallel_search_mode", (str,), _SEARCHES[0], "how a strategy is sought", one_of(*_SEARCHES)),
    Setting("parameter_broadcast", (bool,), False, "parameters of rank 0 are sent to all before training"),
    Setting("strategy_ckpt_load_file", (str,), "", "file a parallel strategy is read from", effect="kept"),
    Setting("strategy_ckpt_save_file", (str,), "", "file a parallel strategy is saved to", effect="kept"),
    Setting("full_batch", (bool,), False, "every device gets the whole batch"),
    Setting("enable_parallel_optimizer", (bool,), False, "the optimizer's work is shared", effect="kept"),
    Setting(
        "all_reduce_fusion_config", (list, type(None)), [], "gradients whose AllReduce is fused", _fusion, (), "kept"
    ),
    Setting("pipeline_stages", (int,), 1, "stages of a pipeline", in_range(1, None)),
)
"""Every key of set_auto_parallel_context, in the order the guide has them."""

PARALLEL_SETTINGS: dict[str, Setting] = {setting.name: setting for setting in PARALLEL_TABLE}


def set_auto_parallel_context(**settings: Any) -> None:
    """Set how work is shared between processes; to be called before a network is built.

    Keys, types, ranges and defaults: see PARALLEL_TABLE. An unknown key, a wrong type or value is
    an error, and then nothing is changed. While a network that was compiled is alive, ContextError;
    `reset_auto_parallel_context` lifts that.
    """
    checked = {name: _setting(name, "set").checked(value) for name, value in settings.items()}
    session = current()
    alive = [type(network).__name__ for network in session.frozen_by]
    if alive and checked:
        raise ContextError(
            f"the auto-parallel context cannot be changed: {alive[0]} was compiled with it and is still alive",
            hint="set it before the first network is built, or call context.reset_auto_parallel_context() first",
        )
    session.parallel.update(checked)


def get_auto_parallel_context(key: str) -> Any:
    """The value of one key, or its default. An unknown key is a ValueError that names the known ones."""
    setting = _setting(key, "get")
    return current().parallel.get(key, setting.default)


def reset_auto_parallel_context() -> None:
    """Back to the defaults; the context may be set again."""
    current().parallel.clear()
    current().frozen_by.clear()


def rank() -> tuple[int, int]:
    """(rank of this process, processes in all): the auto-parallel context, else RANK_ID and RANK_SIZE."""
    told = current().parallel
    if "device_num" in told or "global_rank" in told:
        return told.get("global_rank", 0), told.get("device_num", 1)
    try:
        return int(os.environ.get("RANK_ID", "0")), int(os.environ.get("RANK_SIZE", "1"))
    except ValueError:
        return 0, 1


def rank_folder() -> str:
    """`rank_<n>` when there is more than one process or a rank was set, else ""."""
    number, processes = rank()
    return f"rank_{number}" if processes > 1 or number > 0 else ""


def _setting(name: str, call: str) -> Setting:
    if (setting := PARALLEL_SETTINGS.get(name)) is not None:
        return setting
    known = ", ".join(PARALLEL_SETTINGS)
    raise ValueError(f"{call.capitalize()} context keyword {name} is not recognized! It may be one of {known}")
