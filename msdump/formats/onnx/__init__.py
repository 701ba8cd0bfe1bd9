"""ONNX: inference graphs of common operators, for every runtime that takes ONNX (extra "onnx").

What is computed is carried whole, weights included; an operator without a counterpart, a subgraph
or a side effect is an error that names it. Scopes and source lines go into the nodes' metadata.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from msdump.errors import WriteError
from msdump.formats.format import Format

if TYPE_CHECKING:
    from msdump.graph.graph import Graph


def write(graph: Graph, path: str | PathLike[str], *, lossy: bool = False, force: bool = False) -> None:
    """Write the computation of a graph as ONNX. `lossy` changes nothing: no operator is left out.

    Raises:
        WriteError: onnx is not installed; an operator has no counterpart; the model is over 2 GiB;
            the file cannot be written.
    """
    from msdump.formats.atomic import write_file
    from msdump.graph.verify import require_sound

    require_sound(graph, "onnx")
    try:
        import onnx
    except ImportError:
        raise WriteError("onnx needs the package onnx", hint='pip install "msdump[onnx]"') from None
    from msdump.formats.onnx.lower import Lowering
    from msdump.formats.onnx.operators import OPERATORS

    model = Lowering(graph).model(OPERATORS)
    try:
        onnx.checker.check_model(model, full_check=True)
        data = model.SerializeToString()
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise WriteError(f"onnx refuses the model: {str(error).strip().splitlines()[0]}") from error
    except ValueError as error:
        raise WriteError("a model over 2 GiB cannot be one ONNX file") from error
    write_file(path, data, force=force)


FORMAT = Format(
    name="onnx",
    kind="graph",
    summary="inference graph with weights for other runtimes",
    write=write,
    capabilities=frozenset(
        {"types", "weights", "tensor_numbers", "exact_floats", "small_floats", "scopes", "bare_scopes", "fullnames"}
    ),
    extra="onnx",
)
FORMATS = (FORMAT,)
