"""Call every key of the context with good and bad values, and write down what each call gives.

    python tests/runtime/record_context.py fixtures/ops/context_2.10.json

One line a call: [function, arguments, device, result, whether it warned], the result being
{"got": value} from the getter or {"error": type}. Each call runs in a process of its own, forked from one that
has imported the module. The module is MindSpore where it is installed (1.1 too, see
stand_in_libraries.py), else msdump. Texts of messages are not kept: they are each release's own.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

PLAIN: list[Any] = [None, True, False, 0, 1, 2, 3, 4, -1, 1.5, "", "x", [], {}]
KEYS: dict[str, list[Any]] = {
    "mode": [7],
    "device_target": ["CPU", "GPU", "Ascend", "Davinci", "TPU", "cpu"],
    "device_id": [4095, 4096],
    "save_graphs": [],
    "save_graphs_path": ["graphs", "there.pb"],
    "print_file_path": ["print.pb", "there.pb", "folder"],
    "enable_dump": [],
    "save_dump_path": ["dumps"],
    "enable_profiling": [],
    "profiling_options": [
        *("training_trace", "task_trace:training_trace", "nothing", "op_trace:task_trace"),
        *('{"training_trace": "on"}', '{"result_path": ".", "training_trace": "on"}', "{", "[]"),
        *('{"result_path": "nowhere"}', '{"training_trace": "yes"}', '{"unknown": "on"}', '{"fp_point": 3}'),
        *('{"training_trace": "on", "fp_point": "Nothing"}', '{"ai_core_metrics": "Everything"}'),
    ],
    "max_call_depth": [1000],
    "reserve_class_name_in_scope": [],
    "precompile_only": [],
    "check_bprop": [],
    "enable_sparse": [],
    "enable_graph_kernel": [],
    "enable_reduce_precision": [],
    "enable_auto_mixed_precision": [],
    "variable_memory_max_size": ["5GB", "31GB", "32GB", "0GB", "3.5GB", "5"],
    "max_device_memory": ["3.5GB", "0GB", "0.0GB", "1024GB", "3.5"],
    "deterministic": ["ON", "OFF", "on"],
    "pynative_synchronize": [],
    "grad_for_scalar": [],
    "enable_compile_cache": [],
    "compile_cache_path": ["cache"],
    "memory_optimize_level": ["O0", "O1", "O2"],
    "memory_offload": ["ON", "OFF", "on"],
    "runtime_num_threads": [8],
    "inter_op_parallel_num": [8],
    "op_timeout": [600],
    "jit_syntax_level": [],
    "jit_config": [{"jit_level": "O0"}, {"jit_level": "O9"}, {"nothing": 1}],
    "ascend_config": [{"precision_mode": "force_fp16"}, {"nothing": 1}],
    "gpu_config": [{"conv_fprop_algo": "normal"}, {"nothing": 1}],
    "nonsense": [],
}
DEVICES: dict[str, list[str]] = {
    **{key: ["Ascend"] for key in ("enable_dump", "save_dump_path", "enable_profiling", "profiling_options")},
    **{key: ["Ascend"] for key in ("enable_reduce_precision", "enable_auto_mixed_precision", "print_file_path")},
    **{key: ["Ascend"] for key in ("variable_memory_max_size", "ascend_config")},
    **{key: ["GPU"] for key in ("max_device_memory", "gpu_config")},
    "enable_graph_kernel": ["GPU", "Ascend"],
}
MODES = ["stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel"]
PARALLEL: dict[str, list[Any]] = {
    "device_num": [4096, 4097],
    "global_rank": [4095, 4096],
    "gradients_mean": [],
    "gradient_fp32_sync": [],
    "parallel_mode": [*MODES, "STAND_ALONE"],
    "auto_parallel_search_mode": ["dynamic_programming", "recursive_programming", "sharding_propagation"],
    "parameter_broadcast": [],
    "strategy_ckpt_load_file": ["load.ckpt"],
    "strategy_ckpt_save_file": ["save.ckpt"],
    "full_batch": [],
    "enable_parallel_optimizer": [],
    "all_reduce_fusion_config": [[8, 160], [160, 8], [8, 8], [8], [1.5], ["8"], [True], [0], [-1, 4], [1, None]],
    "pipeline_stages": [8],
    "nonsense": [],
}


def calls() -> Iterator[tuple[str, Any, str]]:
    """Every call: function, arguments, device."""
    for key, more in KEYS.items():
        for value in PLAIN + more:
            for device in ["CPU", *DEVICES.get(key, [])]:
                yield "set_context", {key: value}, device
        yield "get_context", key, "CPU"
    for key, more in PARALLEL.items():
        for value in PLAIN + more:
            yield "set_auto_parallel_context", {key: value}, "CPU"
        yield "get_auto_parallel_context", key, "CPU"
    for mode in MODES:
        for extra in ({"gradients_mean": True}, {"gradient_fp32_sync": False}, {"parameter_broadcast": True}):
            yield "set_auto_parallel_context", {"parallel_mode": mode, **extra}, "CPU"
    yield "set_auto_parallel_context", {"device_num": 2, "global_rank": 2}, "CPU"
    yield "set_auto_parallel_context", {"device_num": 2, "global_rank": 1}, "CPU"


def force_device(context: Any, device: str) -> None:
    """Take a device, past the check of what the package is for: only what follows is asked."""
    if context.__name__.startswith("mindspore"):
        from mindspore._c_expression import ms_ctx_param

        context._context().set_param(ms_ctx_param.device_target, device)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            context.set_context(device_target=device)


def outcome(context: Any, function: str, given: Any) -> Any:
    """What one call gives."""
    try:
        if function.startswith("get"):
            return {"got": getattr(context, function)(given)}
        getattr(context, function)(**given)
        last = list(given)[-1]
        return {"got": getattr(context, function.replace("set_", "get_"))(last)}
    except Exception as error:
        return {"error": type(error).__name__}


def in_a_process(context: Any, function: str, given: Any, device: str) -> tuple[Any, bool]:
    """The outcome, and whether something was said about it; None where there is no such device."""
    with tempfile.TemporaryFile() as heard, tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            os.dup2(heard.fileno(), 2)
            try:
                found = attempt(context, function, given, device)
                answer.write(json.dumps(found, default=str).encode())
                answer.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        heard.seek(0)
        answer.seek(0)
        lines = heard.read().decode().splitlines()
        found = json.loads(answer.read())
    # A release that says that a key will go is saying nothing of this call.
    said = [line for line in lines if "deprecated" not in line and "will be removed" not in line]
    return found, any("arning" in line or "WARNING" in line for line in said)


def attempt(context: Any, function: str, given: Any, device: str) -> Any:
    """One call, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("folder")
        open("there.pb", "w").close()
        try:
            force_device(context, device)
        except Exception:
            return None
        os.ftruncate(2, 0)
        found = json.dumps(outcome(context, function, given), default=str)
        os.chdir("/")
    return json.loads(re.sub(r"(there.pb)\.\d{10}", r"\1.TIME", found.replace(os.path.realpath(folder), "CWD")))


def record(context: Any) -> Iterator[list[Any]]:
    """Rows of every call."""
    for function, given, device in calls():
        yield [function, given, device, *in_a_process(context, function, given, device)]


def main(path: str) -> None:
    """Write the rows."""
    path = os.path.abspath(path)
    try:
        module = importlib.import_module("mindspore")
    except ImportError:
        module = importlib.import_module("msdump")
    context = importlib.import_module(module.__name__ + ".context")
    rows = [json.dumps(row) for row in record(context) if row[3] is not None]
    with open(path, "w") as out:
        lines = ",\n".join(rows)
        out.write(f'{{"mindspore": "{module.__version__}", "calls": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(sys.argv[1])
