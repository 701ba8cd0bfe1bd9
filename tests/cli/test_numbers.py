"""Numbers that no file of MindSpore has, in every place of every kind of file that holds one.

A number of thousands of digits, beyond 64 bits, in digits of another script or with underscores gives a
result with notes, or one line with a place: never another exception.
"""

from __future__ import annotations

import itertools
import re
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from msdump.formats import all_formats
from msdump.formats.dump.bin import bin_bytes
from tests.cli.conftest import MINDSPORE, Run
from tests.conftest import FIXTURES
from tests.formats.dump.making import STAMP

NINES = "9" * 5000
EXTREMES = [
    *(NINES, "-" + NINES, "1" * 4000, "9" * 20, "1e999", "-1e999", "1e5", "10000000000000", "-7", "-0", "-", ""),
    *(str(1 << 63), str(1 << 64), "nan", "-inf", "NaN", "Infinity", "\u0663", "\u00b2", "\uff17", "1_0", "0x10", " 3"),
]


def test_an_integer_of_5000_digits_is_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'{{"a": {NINES}}}')
    ran = run(path)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"msdump: {path}: an integer of 5,000 digits cannot be read (line 1, column 7)\n")


# -- every reader ---------------------------------------------------------------------------------

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def in_text(data: bytes, most: int) -> Iterator[bytes]:
    """The text with one number replaced, a place of each shape of surroundings after another."""
    seen: dict[bytes, re.Match[bytes]] = {}
    for found in _NUMBER.finditer(data):
        seen.setdefault(re.sub(rb"\d", b"0", data[max(0, found.start() - 10) : found.start()]), found)
    turns = itertools.cycle(EXTREMES)
    places = list(seen.values())
    for found, extreme in zip(itertools.islice(itertools.cycle(places), most), turns, strict=False):
        yield data[: found.start()] + extreme.encode() + data[found.end() :]


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


VARINTS = [_varint(n) for n in (0, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 63, (1 << 64) - 1, (1 << 63) - 1)]


def in_wire(data: bytes, most: int) -> Iterator[bytes]:
    """A protobuf message with the value of one varint field replaced, lengths around it kept right."""
    fields = list(_fields(data, 0, len(data), ()))
    turns = itertools.cycle(VARINTS)
    step = max(1, len(fields) // most)
    for (begin, end, around), number in zip(fields[::step], turns, strict=False):
        changed, grown = data[:begin] + number + data[end:], len(number) - (end - begin)
        for start, stop, size in reversed(around):
            length = _varint(size + grown)
            changed = changed[:start] + length + changed[stop:]
            grown += len(length) - (stop - start)
        yield changed


Around = tuple[tuple[int, int, int], ...]


def _read(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    raise ValueError("no varint")


def _fields(data: bytes, at: int, end: int, around: Around) -> Iterator[tuple[int, int, Around]]:
    """Where each varint field's value begins and ends, and the lengths that it counts in."""
    while at < end:
        tag, at = _read(data, at, end)
        wire = tag & 7
        if not tag >> 3 or wire not in (0, 1, 2, 5):
            raise ValueError("no message")
        if wire == 0:
            _, stop = _read(data, at, end)
            yield at, stop, around
            at = stop
        elif wire == 2:
            size, begin = _read(data, at, end)
            if begin + size > end:
                raise ValueError("no message")
            try:
                inner = list(_fields(data, begin, begin + size, (*around, (at, begin, size))))
            except ValueError:
                inner = [(n, n + 1, (*around, (at, begin, size))) for n in range(begin, begin + min(size, 3))]
            yield from inner  # of packed numbers, and of text, the first few bytes
            at = begin + size
        else:
            at += 8 if wire == 1 else 4


def test_the_walk_over_a_message_changes_one_field() -> None:
    inner = b"\x08\x05\x12\x01A"
    data = b"\x0a" + bytes([len(inner)]) + inner + b"\x10\x07"
    assert list(in_wire(data, 9)) == [
        b"\x0a\x05\x08\x00\x12\x01A\x10\x07",
        b"\x0a\x05\x08\x05\x12\x01A\x10" + _varint(1 << 31),
    ]


def in_message(data: bytes, most: int) -> Iterator[bytes]:
    """A dumped .bin: the length of a message, the message with one varint replaced, data."""
    (length,) = struct.unpack_from("<Q", data)
    for message in in_wire(data[8 : 8 + length], most):
        yield struct.pack("<Q", len(message)) + message + data[8 + length :]


def in_header(data: bytes, most: int) -> Iterator[bytes]:
    """A .npy whose header, text behind its length, has one number replaced."""
    (length,) = struct.unpack_from("<H", data, 8)
    for header in in_text(data[10 : 10 + length], most):
        yield data[:8] + struct.pack("<H", len(header) & 0xFFFF) + header + data[10 + length :]


IR = [
    *("1.0.0_print_net_validate", "1.10.0_print_net_validate", "2.10.0_dtypes_rank_optimize"),
    *("2.5.0_print_net_validate", "2.0.0_containers_odd_symbol_resolve", "2.10.0_matmul_shape_analyze_fail"),
]
GRAPH = ("{}", "graph show {} --json", "graph explain {}", "convert {} --to graph.json -o {out} --lossy")
TEXT_OF_A_GRAPH = (*GRAPH[:2], "convert {} --to ir -o {out} --lossy", "convert {} --to mindir -o {out} --lossy")
PRINT = ("{}", "print show {} --json", "convert {} --to print.pb -o {out} --lossy", "print diff {} {whole}")
DUMP = ("{}", "dump ls {}", "dump show {}", "dump stats {}", "dump watch {}", "dump diff {} {whole}")
MAP = ("dump diff {fold} {fold} --map {}",)
Change = Callable[[bytes, int], Iterator[bytes]]


def _fixture(name: str) -> Callable[[Run, Path], Path]:
    return lambda run, folder: Path(shutil.copy(FIXTURES / name, folder))


def _converted(source: Path, name: str) -> Callable[[Run, Path], Path]:
    def make(run: Run, folder: Path) -> Path:
        assert run("convert", source, "-o", folder / name, "--lossy").status == 0
        return folder / name

    return make


def _written(name: str, content: bytes) -> Callable[[Run, Path], Path]:
    def make(run: Run, folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def _shown(source: Path, name: str) -> Callable[[Run, Path], Path]:
    return lambda run, folder: _written(name, run(source).out.encode())(run, folder)


def _npy(run: Run, folder: Path) -> Path:
    path = folder / f"Add.x.0.0.{STAMP}.output.0.DefaultFormat.Float32.npy"
    np.save(path, np.ones((2, 3), np.float32))
    return path


TABLE = f"""Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Avg Value,Count
Add,x,0,0,{STAMP},output,0,24,float32,"(2,3)",7,1.5e-3,6
Mul,y,1,0,{STAMP},output,1,4,float32,"(1,)",7,2,3
"""
KINDS = FIXTURES / "mindir/2.7.0_kinds.mindir"
NET = FIXTURES / "ir/2.5.0_print_net_validate.ir"
MIXED, DTYPES = MINDSPORE / "new_mixed.pb", MINDSPORE / "new_common_dtypes.pb"
REPORT = b"subgraph : actor set 12\n[Data prepare actor 1]\n  name 3\n[Kernel actors: 7]\n  a 2\n"
ROOMS: dict[str, tuple[Callable[[Run, Path], Path], Change, tuple[str, ...]]] = {
    **{f"ir {name}": (_fixture(f"ir/{name}.ir"), in_text, GRAPH) for name in IR},
    "dat": (_fixture("dat/1.10.0_consts.dat"), in_text, GRAPH),
    "dat odd": (_fixture("dat/1.6.1_odd.dat"), in_text, GRAPH),
    "dot": (_fixture("dot/2.10.0_odd.dot"), in_text, GRAPH),
    "own dot": (_converted(NET, "a.dot"), in_text, TEXT_OF_A_GRAPH),
    "graph json": (_converted(NET, "a.json"), in_text, TEXT_OF_A_GRAPH),
    "graph json of kinds": (_converted(KINDS, "b.json"), in_text, TEXT_OF_A_GRAPH),
    "anf_pb": (_fixture("anf_pb/2.5.0_print_net.pb"), in_wire, GRAPH),
    "mindir": (_fixture("mindir/2.7.0_kinds.mindir"), in_wire, GRAPH),
    "print.pb": (_fixture("print/mindspore/new_common_dtypes.pb"), in_wire, PRINT),
    "print json": (_converted(DTYPES, "p.json"), in_text, PRINT),
    "print jsonl": (_converted(MIXED, "p.jsonl"), in_text, PRINT),
    "print safetensors": (_converted(MIXED, "p.safetensors"), in_text, PRINT),
    "print log": (_shown(MIXED, "p.log"), in_text, ("{}", "print from-log {} -o {out}")),
    "failure log": (_fixture("fail/keyword.log"), in_text, ("{}", "graph explain {}")),
    "report": (_written("actor_set_1.ir", REPORT), in_text, ("{}",)),
    "statistic": (_written("statistic.csv", TABLE.encode()), in_text, DUMP),
    "npy": (_npy, in_header, DUMP),
    "bin": (_written(f"Add.x.0.0.{STAMP}", bin_bytes([], [np.ones((2, 3), np.float32)])), in_message, DUMP),
    "map json": (
        _written("m.json", b'{"Add.output.0": "Mul.output.1", "a": 5}'),
        in_text,
        ("dump diff {fold} {fold} --map {}",),
    ),
    "map yaml": (
        _written("m.yaml", b"Add.output.0: Mul.output.1\na: 5\n"),
        in_text,
        ("dump diff {fold} {fold} --map {}",),
    ),
    "expectations": (_written("e.txt", b"CHECK-COUNT-2: Add\nCHECK: %1 = 5\n"), in_text, (f"graph check {NET} {{}}",)),
    "settings": (_fixture("dump/2.10.0/while_tensor/dump.json"), in_text, ("{}", "doctor {}")),
}


@pytest.mark.parametrize("kind", ROOMS)
def test_an_extreme_number_is_read_refused_or_told(kind: str, run: Run, tmp_path: Path) -> None:
    make, change, commands = ROOMS[kind]
    (tmp_path / "whole").mkdir()
    whole = make(run, tmp_path / "whole")
    path, out, fold = tmp_path / whole.name, tmp_path / "out", tmp_path / "fold"
    fold.mkdir()
    _npy(run, fold)
    data, tried = whole.read_bytes(), 0
    for changed in change(data, 48):
        path.write_bytes(changed)
        for command in commands:
            words = [word.format(path, out=out, whole=whole, fold=fold) for word in command.split()]
            ran = run(*words)  # anything but an exit raises here
            assert ran.status in (0, 1, 2), (words, ran.err)
            assert "Traceback" not in ran.err
            out.unlink(missing_ok=True)
        tried += 1
    assert tried >= 3


@pytest.mark.parametrize("extreme", EXTREMES)
def test_a_shape_in_a_json_of_a_graph(extreme: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(_GRAPH.replace("@", extreme))
    for words in (("graph", "show", path), ("convert", path, "--to", "ir", "-o", tmp_path / "a.ir", "--lossy")):
        ran = run(*words)
        assert (ran.status, ran.err[:8]) == ((2, "msdump: ") if ran.err else (0, ""))


_GRAPH = """{"schema": "msdump.graph/1", "entry": "g",
"types": [{"kind": "tensor_type", "dtype": "Float32", "shape": [@, 3]}], "locations": [], "attributes": [],
"funcs": [{"name": "g", "parameters": [{"name": "x", "type": 0}],
"nodes": [{"name": "%0", "op": "Return", "inputs": [{"kind": "node", "name": "x"}], "type": 0}]}]}"""


def test_every_reader_is_asked() -> None:
    """A format that reads has a row above; those of arrays read their index as `print json` does."""
    asked = {
        *("ir", "dat", "dot", "graph.json", "anf_pb", "mindir", "print.pb", "json", "jsonl", "safetensors"),
        *("print-log", "failure-log", "ir.report", "statistic.csv", "npy", "dump.bin", "dump", "npz", "parquet"),
    }
    assert {f.name for f in all_formats() if f.read is not None} == asked
