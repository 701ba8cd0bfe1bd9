"""Cells that hold cells: in a row, in a list, by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from msdump.runtime.cell import Cell


def _checked(cell: Any, holder: str) -> Cell:
    if not isinstance(cell, Cell):
        raise TypeError(f"For '{holder}', each element must be a Cell, but got {type(cell).__name__}.")
    return cell


class _Listed(Cell):
    """Cells by number: "0", "1", …; their parameters' names begin with it."""

    def __init__(self, *cells: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        if len(cells) == 1 and isinstance(cells[0], OrderedDict):
            named: Iterable[tuple[str, Any]] = cells[0].items()
        else:
            items = cells[0] if len(cells) == 1 and isinstance(cells[0], list | tuple) else cells
            named = ((str(i), cell) for i, cell in enumerate(items))
        for name, cell in named:
            self._put(name, cell)

    def _put(self, name: str, cell: Any) -> None:
        inner = _checked(cell, type(self).__name__)
        if self._auto_prefix:
            inner.update_parameters_name(f"{name}.")
        Cell.changes += 1
        self._cells[name] = inner

    def _name(self, index: int) -> str:
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(f"For '{type(self).__name__}', the type of 'index' must be int, but got {type(index)}.")
        if not -len(self) <= index < len(self):
            raise IndexError(
                f"For '{type(self).__name__}', the value of 'index' must be a number in range "
                f"[{-len(self)}, {len(self)}), but got {index}."
            )
        names: list[str] = list(self._cells)
        return names[index]

    def _replace(self, cells: list[Cell]) -> None:
        """Number the cells anew; parameters take the new numbers."""
        Cell.changes += 1
        self._cells.clear()
        for i, cell in enumerate(cells):
            self._put(str(i), cell)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._cells[index]
        if isinstance(index, slice):
            return type(self)(*list(self._cells.values())[index])
        return self._cells[self._name(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._put(self._name(index), cell)

    def __delitem__(self, index: Any) -> None:
        cells = list(self._cells.values())
        del cells[index]
        self._replace(cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def append(self, cell: Cell) -> Any:
        """Add a cell at the end; gives itself back."""
        self._put(str(len(self)), cell)
        return self


class SequentialCell(_Listed):
    """Cells one after the other: each takes what the one before gave."""

    def construct(self, input_data: Any) -> Any:
        """Run all cells in order."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Listed):
    """A list of cells; construct is the caller's own."""

    def insert(self, index: int, cell: Cell) -> None:
        """Put a cell before another."""
        cells = list(self._cells.values())
        cells.insert(index, _checked(cell, type(self).__name__))
        self._replace(cells)

    def extend(self, cells: Iterable[Cell]) -> CellList:
        """Add cells at the end; gives itself back."""
        for cell in cells:
            self.append(cell)
        return self

    def construct(self, *inputs: Any) -> Any:
        """A list has nothing of its own to compute."""
        raise NotImplementedError("a CellList has no construct: call its cells")


class CellDict(Cell):
    """Cells by name."""

    def __init__(self, cells: Any = None) -> None:
        super().__init__()
        if cells is not None:
            self.update(cells)

    def update(self, cells: Any) -> None:
        """Add cells from a mapping or from (name, cell) pairs."""
        for name, cell in cells.items() if hasattr(cells, "items") else cells:
            self[name] = cell

    def __setitem__(self, name: str, cell: Cell) -> None:
        inner = _checked(cell, type(self).__name__)
        inner.update_parameters_name(f"{name}.")
        self.insert_child_to_cell(name, inner)

    def __getitem__(self, name: str) -> Cell:
        found: Cell = self._cells[name]
        return found

    def __delitem__(self, name: str) -> None:
        Cell.changes += 1
        del self._cells[name]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._cells.keys()

    def values(self) -> Iterable[Cell]:
        """The cells."""
        return self._cells.values()

    def items(self) -> Iterable[tuple[str, Cell]]:
        """(name, cell) pairs."""
        return self._cells.items()
