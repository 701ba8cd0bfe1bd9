"""msdump reads, compares and converts the debug files of MindSpore, and brings what writes them.

Public names are imported when first used, so that `import msdump` costs almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msdump.version import VERSION as __version__

if TYPE_CHECKING:
    from msdump.conversion import conversions as conversions
    from msdump.conversion import convert as convert
    from msdump.diff.graphs import diff_graphs as diff_graphs
    from msdump.diff.records import diff_records as diff_records
    from msdump.diff.tensor.metrics import diff_tensors as diff_tensors
    from msdump.diff.tensor.tolerance import Tolerance as Tolerance
    from msdump.dtype import bfloat16 as bfloat16
    from msdump.dtype import bool_ as bool_
    from msdump.dtype import complex64 as complex64
    from msdump.dtype import complex128 as complex128
    from msdump.dtype import float16 as float16
    from msdump.dtype import float32 as float32
    from msdump.dtype import float64 as float64
    from msdump.dtype import int8 as int8
    from msdump.dtype import int16 as int16
    from msdump.dtype import int32 as int32
    from msdump.dtype import int64 as int64
    from msdump.dtype import uint8 as uint8
    from msdump.dtype import uint16 as uint16
    from msdump.dtype import uint32 as uint32
    from msdump.dtype import uint64 as uint64
    from msdump.dumps.comparing import diff_dumps as diff_dumps
    from msdump.dumps.opening import read_dump as read_dump
    from msdump.errors import DecodeError as DecodeError
    from msdump.errors import LossError as LossError
    from msdump.errors import MsdumpError as MsdumpError
    from msdump.errors import ParseError as ParseError
    from msdump.errors import ReadError as ReadError
    from msdump.errors import TruncatedError as TruncatedError
    from msdump.errors import UnknownFormatError as UnknownFormatError
    from msdump.errors import UnsupportedVersionError as UnsupportedVersionError
    from msdump.errors import WriteError as WriteError
    from msdump.formats.print_pb.log import PrintLog as PrintLog
    from msdump.formats.print_screen.reader import read_print_log as read_print_log
    from msdump.formats.print_writer import PrintWriter as PrintWriter
    from msdump.io import follow_print as follow_print
    from msdump.io import inspect as inspect
    from msdump.io import iter_recovered as iter_recovered
    from msdump.io import kind_of as kind_of
    from msdump.io import load as load
    from msdump.io import open_print as open_print
    from msdump.io import read_graph as read_graph
    from msdump.io import read_print as read_print
    from msdump.io import save as save
    from msdump.io import sniff as sniff
    from msdump.io import stream as stream
    from msdump.io import write_graph as write_graph
    from msdump.records import BadValue as BadValue
    from msdump.records import PrintMeta as PrintMeta
    from msdump.records import PrintRecord as PrintRecord
    from msdump.runtime.cell import load_param_into_net as load_param_into_net
    from msdump.runtime.ops.random import get_seed as get_seed
    from msdump.runtime.ops.random import set_seed as set_seed
    from msdump.runtime.parameter import Parameter as Parameter
    from msdump.runtime.parameter import ParameterTuple as ParameterTuple
    from msdump.runtime.print_op import Print as Print
    from msdump.runtime.tensor_methods import Tensor as Tensor

# Public name → the module that defines it, grouped as a reader of the documentation meets them.
_PUBLIC: dict[str, str] = {
    # errors
    "MsdumpError": "msdump.errors",
    "ReadError": "msdump.errors",
    "UnknownFormatError": "msdump.errors",
    "UnsupportedVersionError": "msdump.errors",
    "ParseError": "msdump.errors",
    "DecodeError": "msdump.errors",
    "TruncatedError": "msdump.errors",
    "WriteError": "msdump.errors",
    "LossError": "msdump.errors",
    # tensor dumps
    "read_dump": "msdump.dumps.opening",
    "diff_dumps": "msdump.dumps.comparing",
    # files of any kind
    "read_graph": "msdump.io",
    "write_graph": "msdump.io",
    "load": "msdump.io",
    "save": "msdump.io",
    "stream": "msdump.io",
    "inspect": "msdump.io",
    "sniff": "msdump.io",
    "kind_of": "msdump.io",
    # converting and comparing
    "convert": "msdump.conversion",
    "conversions": "msdump.conversion",
    "Tolerance": "msdump.diff.tensor.tolerance",
    "diff_graphs": "msdump.diff.graphs",
    "diff_records": "msdump.diff.records",
    "diff_tensors": "msdump.diff.tensor.metrics",
    # reading print logs
    "read_print": "msdump.io",
    "open_print": "msdump.io",
    "follow_print": "msdump.io",
    "iter_recovered": "msdump.io",
    "PrintRecord": "msdump.records",
    "PrintMeta": "msdump.records",
    "BadValue": "msdump.records",
    "PrintLog": "msdump.formats.print_pb.log",
    "read_print_log": "msdump.formats.print_screen.reader",
    # writing print logs
    "Print": "msdump.runtime.print_op",
    "PrintWriter": "msdump.formats.print_writer",
    # the runtime
    "Tensor": "msdump.runtime.tensor_methods",
    "Parameter": "msdump.runtime.parameter",
    "ParameterTuple": "msdump.runtime.parameter",
    "load_param_into_net": "msdump.runtime.cell",
    "set_seed": "msdump.runtime.ops.random",
    "get_seed": "msdump.runtime.ops.random",
    # element types
    "bool_": "msdump.dtype",
    "int8": "msdump.dtype",
    "int16": "msdump.dtype",
    "int32": "msdump.dtype",
    "int64": "msdump.dtype",
    "uint8": "msdump.dtype",
    "uint16": "msdump.dtype",
    "uint32": "msdump.dtype",
    "uint64": "msdump.dtype",
    "float16": "msdump.dtype",
    "float32": "msdump.dtype",
    "float64": "msdump.dtype",
    "bfloat16": "msdump.dtype",
    "complex64": "msdump.dtype",
    "complex128": "msdump.dtype",
}
_MODULES: tuple[str, ...] = ("context", "nn", "ops", "testing")

__all__ = ["__version__", *_PUBLIC, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
    elif name in _MODULES:
        value = import_module(f"msdump.{name}")
    else:
        raise AttributeError(f"module 'msdump' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
