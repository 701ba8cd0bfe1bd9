"""Cell: a network or a layer, its parameters and the cells inside it, with MindSpore's names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from msdump.dtype import DType
from msdump.runtime.context import get_context
from msdump.runtime.parameter import Parameter, ParameterTuple
from msdump.runtime.primitive import Primitive
from msdump.runtime.promotion import is_float, numpy_type
from msdump.runtime.session import current
from msdump.runtime.tensor import Tensor


class Cell:
    """A network or a layer: subclasses make parameters and cells in __init__ and compute in construct.

    Args:
        auto_prefix: put the names of attributes before the names of parameters inside.
    """

    changes: ClassVar[int] = 0
    """How often an attribute of any cell was set: while it stays, a compiled network is what it was."""
    training: bool
    requires_grad: bool
    _params: OrderedDict[str, Parameter | None]
    _cells: OrderedDict[str, Any]
    _primitives: OrderedDict[str, Primitive]
    _auto_prefix: bool
    _scope: str | None
    _cast_to: DType | None

    def __init__(self, auto_prefix: bool = True) -> None:
        own = self.__dict__
        own["_params"] = OrderedDict()
        own["_cells"] = OrderedDict()
        own["_primitives"] = OrderedDict()
        own["_auto_prefix"] = auto_prefix
        own["_scope"] = None
        own["training"] = False
        own["requires_grad"] = False
        own["_cast_to"] = None

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the cell computes; subclasses define it."""
        raise AttributeError("For 'Cell', the method 'construct' is not defined.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run construct, or have it compiled or watched, as the Session asks."""
        on_cell = current().on_cell
        return self.run(args, kwargs) if on_cell is None else on_cell(self, args, kwargs)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run construct eagerly. Infinities and NaN are results here, so numpy does not warn of them."""
        if self._cast_to is not None:
            args = tuple(self._cast(a) for a in args)
        with np.errstate(all="ignore"):
            return self.construct(*args, **kwargs)

    def _cast(self, value: Any) -> Any:
        if isinstance(value, Tensor) and is_float(value._data.dtype):
            return value.astype(self._cast_to)
        return value

    # attributes

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        Cell.changes += 1
        if "_params" not in own:
            if isinstance(value, Cell | Parameter | Primitive):
                raise AttributeError(
                    f"For '{type(self).__name__}', call super().__init__() before cells and parameters are assigned."
                )
            own[name] = value
        elif isinstance(value, Parameter):
            own.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, ParameterTuple):
            for item in value:
                self.insert_param_to_cell(item.name, item, check_name_contain_dot=False)
            own[name] = value
        elif isinstance(value, Cell):
            own.pop(name, None)
            if own["_auto_prefix"]:
                value.update_parameters_name(f"{name}.")
            self.insert_child_to_cell(name, value)
        elif isinstance(value, Primitive):
            value.set_prim_instance_name(name)
            own["_primitives"][name] = value
            own[name] = value
        elif name in own["_params"]:
            self._set_param(name, value)
        elif name in own["_cells"]:
            if value is not None:
                raise TypeError(
                    f"Sub cell '{name}' already exists in network, can not assign this type: '{type(value)}' as a cell."
                )
            own["_cells"][name] = None
        else:
            own[name] = value

    def _set_param(self, name: str, value: Any) -> None:
        held = self._params[name]
        if isinstance(value, Tensor) and held is not None:
            held.set_data(value)
        elif value is None:
            self._params[name] = None
        else:
            raise TypeError(
                f"Parameter '{name}' already exists in network, can not assign this type: "
                f"'{type(value)}' as a parameter."
            )

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for kind in ("_params", "_cells"):
            held = own.get(kind)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __delattr__(self, name: str) -> None:
        Cell.changes += 1
        for kind in ("_params", "_cells"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                return
        self._primitives.pop(name, None)
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._params, *self._cells})

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Add a parameter under a name; an unnamed one takes it.

        KeyError: the name is empty, holds a dot or is taken by something else. TypeError: no Parameter.
        """
        if not param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not be None.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not contain '.' ")
        if param_name in self.__dict__ or (hasattr(type(self), param_name) and param_name not in self._params):
            raise KeyError(f"For 'insert_param_to_cell', the {param_name} parameter already exists in the network.")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"For 'insert_param_to_cell', the argument 'param' must be 'Parameter', but got {type(param)}."
            )
        if param is not None and param.has_generated_name:
            param.name = param_name
        Cell.changes += 1
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Add a cell under a name. TypeError: no Cell, or a name that is no text."""
        if not isinstance(child_name, str):
            raise TypeError(
                f"For 'insert_child_to_cell', the type of parameter 'child_name' must be str, but got "
                f"{type(child_name)}."
            )
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise TypeError(
                f"For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell', but got {type(child_cell)}."
            )
        Cell.changes += 1
        self._cells[child_name] = child_cell

    # parameters

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(path of attributes, parameter) of this cell and, with expand, of the cells inside; each once."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix) if expand else iter([(name_prefix, self)])
        for path, cell in cells:
            for name, param in cell._params.items():
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield (f"{path}.{name}" if path else name), param

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training changes."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training leaves alone."""
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Parameters by name."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Put a prefix before the paths of all parameters inside, as their names."""
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    # cells

    def cells_and_names(self, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """(path of attributes, cell): this cell first, then all inside, each once, parents first."""
        seen: set[int] = set()
        stack: list[tuple[str, Cell]] = [(name_prefix, self)]
        while stack:
            path, cell = stack.pop()
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield path, cell
            inside = [(f"{path}.{n}" if path else n, c) for n, c in cell._cells.items() if c is not None]
            stack.extend(reversed(inside))

    def cells(self) -> Iterator[Cell]:
        """The cells directly inside."""
        return iter(self.name_cells().values())

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The cells directly inside, by name, each once."""
        found: OrderedDict[str, Cell] = OrderedDict()
        seen: set[int] = set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def apply(self, fn: Callable[[Cell], Any]) -> Cell:
        """Call fn with every cell inside and then with this one; gives itself back."""
        for cell in self.name_cells().values():
            cell.apply(fn)
        fn(self)
        return self

    def generate_scope(self) -> None:
        """Give every cell inside its scope: `Default/conv-Conv2d`, `Default/layers-CellList/0-Dense`.

        A cell that has a scope keeps it. reserve_class_name_in_scope=False leaves the class names out.
        """
        with_class = get_context("reserve_class_name_in_scope")
        stack: list[tuple[str, Cell]] = [("Default", self)]
        while stack:
            scope, cell = stack.pop()
            for name, inner in cell.name_cells().items():
                found = f"{scope}/{name}-{type(inner).__name__}" if with_class else f"{scope}/{name}"
                if inner._scope is None:
                    inner.__dict__["_scope"] = found
                stack.append((found, inner))

    def get_scope(self) -> str | None:
        """The scope generate_scope gave, or None."""
        scope: str | None = self._scope
        return scope

    # states

    def set_train(self, mode: bool = True) -> Cell:
        """Set training or not, for this cell and all inside; gives itself back."""
        Cell.changes += 1
        for _, cell in self.cells_and_names():
            cell.__dict__["training"] = mode
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Note that gradients are wanted; msdump runs forward only. Gives itself back."""
        self.__dict__["requires_grad"] = requires_grad
        return self

    def to_float(self, dst_type: DType) -> Cell:
        """Cast floating-point inputs of this cell and all inside to a type; gives itself back."""
        Cell.changes += 1
        if numpy_type(dst_type).name not in ("float16", "float32", "bfloat16"):
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mindspore.float32, mindspore.float16 or "
                f"mindspore.bfloat16, but got {dst_type}."
            )
        for _, cell in self.cells_and_names():
            cell.__dict__["_cast_to"] = dst_type
        return self

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    # text

    def extend_repr(self) -> str:
        """What stands between the parentheses of the cell's text; subclasses say more."""
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + repr(cell).replace("\n", "\n  ") for name, cell in self._cells.items()]
        if lines and len(lines) == 1 and not children:
            return f"{type(self).__name__}({lines[0]})"
        if not lines and not children:
            return f"{type(self).__name__}()"
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines + children) + "\n)"

    def __bool__(self) -> bool:
        return True


def load_param_into_net(
    net: Cell, parameter_dict: Mapping[str, Any], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Give a network's parameters the values in a dictionary, by name.

    Returns (names of parameters that got none, names in the dictionary that no parameter has).
    TypeError for what is no network or dictionary; ValueError when a shape differs.
    """
    if not isinstance(net, Cell):
        raise TypeError(f"The argument 'net' should be a Cell, but got {type(net)}.")
    if not isinstance(parameter_dict, Mapping):
        raise TypeError(f"The argument 'parameter_dict' should be a dict, but got {type(parameter_dict)}.")
    own = net.parameters_dict()
    for name, param in own.items():
        if name in parameter_dict:
            param.set_data(parameter_dict[name])
    return [n for n in own if n not in parameter_dict], [n for n in parameter_dict if n not in own]
