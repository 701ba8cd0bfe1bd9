"""The auto-parallel context: its keys, its errors by text, and networks that freeze it."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np
import pytest

from msdump import Tensor, context, nn
from msdump.runtime.parallel_context import rank, rank_folder
from msdump.runtime.session import Session

DEFAULTS = {
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "gradient_fp32_sync": True,
    "parallel_mode": "stand_alone",
    "auto_parallel_search_mode": "dynamic_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "full_batch": False,
    "enable_parallel_optimizer": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
}


def test_defaults_and_reset() -> None:
    assert {key: context.get_auto_parallel_context(key) for key in DEFAULTS} == DEFAULTS
    context.set_auto_parallel_context(device_num=8, parallel_mode=context.ParallelMode.AUTO_PARALLEL)
    context.set_auto_parallel_context(all_reduce_fusion_config=[8, 160])
    assert context.get_auto_parallel_context("device_num") == 8
    assert context.get_auto_parallel_context("parallel_mode") == "auto_parallel"
    assert context.get_auto_parallel_context("all_reduce_fusion_config") == [8, 160]
    context.reset_auto_parallel_context()
    assert {key: context.get_auto_parallel_context(key) for key in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"device_num": 0}, ValueError, "'device_num' should be in the range [1, 4096], but got 0"),
        ({"device_num": 4097}, ValueError, "'device_num' should be in the range [1, 4096], but got 4097"),
        ({"global_rank": 4096}, ValueError, "'global_rank' should be in the range [0, 4095], but got 4096"),
        ({"global_rank": "1"}, TypeError, "'global_rank' should be of type int, but got '1' of type str"),
        (
            {"parallel_mode": "parallel"},
            ValueError,
            "'parallel_mode' should be one of 'stand_alone', 'data_parallel', 'hybrid_parallel', "
            "'semi_auto_parallel', 'auto_parallel', but got 'parallel'",
        ),
        (
            {"auto_parallel_search_mode": "greedy"},
            ValueError,
            "'auto_parallel_search_mode' should be one of 'dynamic_programming', 'recursive_programming', "
            "'sharding_propagation', but got 'greedy'",
        ),
        (
            {"all_reduce_fusion_config": [1, "2"]},
            TypeError,
            "'all_reduce_fusion_config' should be a list of int from 0 on, but it has '2'",
        ),
        ({"all_reduce_fusion_config": []}, ValueError, "'all_reduce_fusion_config' should not be empty"),
        *(
            (
                {"all_reduce_fusion_config": config},
                ValueError,
                f"'all_reduce_fusion_config' should be ascending and without duplicates, but got {config}",
            )
            for config in ([160, 8], [8, 8])
        ),
        ({"full_batch": 1}, TypeError, "'full_batch' should be of type bool, but got 1 of type int"),
        ({"pipeline_stages": 0}, ValueError, "'pipeline_stages' should be at least 1, but got 0"),
    ],
)
def test_errors_by_text(settings: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        context.set_auto_parallel_context(**{"device_num": 2, **settings})
    assert str(raised.value) == text
    assert context.get_auto_parallel_context("device_num") == 1


def test_an_unknown_key() -> None:
    known = ", ".join(DEFAULTS)
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the whole text is compared below
        context.set_auto_parallel_context(devices=1)
    assert str(raised.value) == f"Set context keyword devices is not recognized! It may be one of {known}"
    with pytest.raises(ValueError, match="Get context keyword devices is not recognized!"):
        context.get_auto_parallel_context("devices")


@pytest.mark.filterwarnings("ignore:'gradient")
def test_gradients_mean_is_accepted_in_every_mode_as_in_mindspore() -> None:
    for mode in context.ParallelMode.MODE_LIST:
        context.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True, gradient_fp32_sync=False)
        assert context.get_auto_parallel_context("gradients_mean") is True
        assert context.get_auto_parallel_context("gradient_fp32_sync") is False


def test_a_rank_that_no_device_has_is_said_once() -> None:
    text = "'global_rank' 2 is none of the ranks 0 to 1 of 'device_num' 2"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        context.set_auto_parallel_context(device_num=2, global_rank=2)
        context.set_auto_parallel_context(device_num=2, global_rank=2)
    assert [str(w.message) for w in caught] == [text]
    assert (rank(), rank_folder()) == ((2, 2), "rank_2")
    context.set_auto_parallel_context(global_rank=1)
    assert rank() == (1, 2)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_after_a_network_has_run_it_is_an_error_in_graph_mode_alone(mode: int) -> None:
    network = nn.Dense(3, 2)
    context.set_context(mode=mode)
    network(Tensor(np.ones((1, 3), np.float32)))
    context.set_context(mode=context.PYNATIVE_MODE)
    if mode == context.GRAPH_MODE:
        with pytest.raises(context.ContextError, match="Dense was compiled with it and is still alive"):
            context.set_auto_parallel_context(device_num=2)
        assert context.get_auto_parallel_context("device_num") == 1
    else:
        context.set_auto_parallel_context(device_num=2)
        assert context.get_auto_parallel_context("device_num") == 2


class LeNet:
    """Stands for a network that was compiled."""


def test_a_compiled_network_that_is_alive_freezes_it(session: Session) -> None:
    network = LeNet()
    context.set_auto_parallel_context(device_num=2)
    session.frozen_by.add(network)
    with pytest.raises(context.ContextError) as raised:
        context.set_auto_parallel_context(device_num=4)
    assert str(raised.value) == (
        "the auto-parallel context cannot be changed: LeNet was compiled with it and is still alive"
    )
    assert "reset_auto_parallel_context()" in raised.value.hint
    assert context.get_auto_parallel_context("device_num") == 2
    context.reset_auto_parallel_context()
    context.set_auto_parallel_context(device_num=4)
    assert context.get_auto_parallel_context("device_num") == 4


def test_a_network_that_is_gone_does_not(session: Session) -> None:
    network = LeNet()
    session.frozen_by.add(network)
    del network
    gc.collect()
    context.set_auto_parallel_context(device_num=4)
    assert context.get_auto_parallel_context("device_num") == 4


def test_the_rank_is_the_contexts_or_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (rank(), rank_folder()) == ((0, 1), "")
    monkeypatch.setenv("RANK_ID", "2")
    monkeypatch.setenv("RANK_SIZE", "4")
    assert (rank(), rank_folder()) == ((2, 4), "rank_2")
    context.set_auto_parallel_context(device_num=8, global_rank=0)
    assert (rank(), rank_folder()) == ((0, 8), "rank_0")
    monkeypatch.setenv("RANK_ID", "many")
    context.reset_auto_parallel_context()
    assert (rank(), rank_folder()) == ((0, 1), "")
