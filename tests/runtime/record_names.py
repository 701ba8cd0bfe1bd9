"""Write down the names of `mindspore.ops` and of its functional part, with what each is.

    python tests/runtime/record_names.py fixtures/ops/names_2.7.json

"class", "module", "value", "callable" (a function), or for an instance of a primitive "callable NAME" with
the operator's name. Runs on Python 3.7 and MindSpore 1.1 as well (see stand_in_libraries.py).
"""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import mindspore
from mindspore import ops
from mindspore.ops import composite, functional, operations


def kind(found: Any) -> str:
    """What an attribute of a module is."""
    if inspect.isclass(found):
        return "class"
    if inspect.ismodule(found):
        return "module"
    if isinstance(found, ops.Primitive):
        return f"callable {found.name}"
    return "callable" if callable(found) else "value"


def public(module: Any) -> dict[str, str]:
    """Its names that are a class or callable, each with what it is."""
    names = {n: kind(getattr(module, n)) for n in dir(module) if not n.startswith("_")}
    return {name: what for name, what in sorted(names.items()) if what not in ("module", "value")}


MODULES = {"ops": ops, "functional": functional, "composite": composite, "operations": operations}
with open(sys.argv[1], "w") as out:
    json.dump({"mindspore": mindspore.__version__, **{k: public(m) for k, m in MODULES.items()}}, out, indent=0)
    out.write("\n")
