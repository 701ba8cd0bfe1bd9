"""Calls of operators and layers that real MindSpore and msdump both run: the same numbers in both.

This module knows neither: it holds names, attributes and seeded inputs. `record_ops.py` runs the
calls with MindSpore and keeps the results in fixtures/ops; test_against_mindspore.py compares.
"""

from __future__ import annotations

from tests.runtime import layer_cases, operator_cases
from tests.runtime.case import Case

GROUPS: dict[str, list[Case]] = {
    "elementwise": list(operator_cases.elementwise()),
    "promotion": list(operator_cases.promotion()),
    "activations": list(operator_cases.activations()),
    "reductions": list(operator_cases.reductions()),
    "products": list(operator_cases.products()),
    "convolutions": list(operator_cases.convolutions()),
    "shapes": list(operator_cases.shapes()),
    "indices": list(operator_cases.indices()),
    "losses": list(layer_cases.losses()),
    "layers": list(layer_cases.layers()),
    "gradients": list(layer_cases.gradients()),
    "networks": list(layer_cases.networks()),
}
