"""A failed compilation explained: graphs and texts of real releases, and of the shapes that people bring."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from msdump.errors import GraphError, UnknownFormatError
from msdump.explanation import explain_path
from msdump.graph.definition import find_definition
from msdump.graph.explain import Explanation
from msdump.graph.failure_text import read_failure_text
from msdump.graph.message_rules import plain_message
from msdump.graph.operator_text import split_operator
from msdump.graph.value import Scalar, Sequence, Str
from msdump.io import inspect
from msdump.render.graph_explain import explanation_json, explanation_lines
from tests.conftest import FIXTURES

FAIL = FIXTURES / "fail"


def told(name: str, with_log: bool = False) -> Explanation:
    log = str(FAIL / f"{name}.txt") if with_log else None
    return explain_path(str(FAIL / f"{name}.ir"), log).explanation


def test_shapes_of_a_matmul() -> None:
    found = told("2.10.0_MatmulShape")
    assert (found.kind, found.why) == ("shape", "inner dimensions differ: 3 and 4")
    failure = found.failure
    assert failure.op == "MatMul"
    assert [(a.name, a.type) for a in failure.arguments] == [
        ("h", "Tensor[Float32] (2, 3)"),
        ("y", "Tensor[Float32] (4, 5)"),
    ]
    assert [(str(f), f.code) for f in failure.frames] == [
        ("nets.py:21", "return self.mm(h, y)"),
        ("nets.py:19", "def construct(self, x, y):"),
    ]
    assert failure.message == "For 'MatMul' the input dimensions must be equal, but got 'x1_col': 3 and 'x2_row': 4."
    assert explanation_lines(found)[:3] == [
        "compilation stopped at nets.py:21   return self.mm(h, y)",
        "  MatMul( h: Tensor[Float32] (2, 3),  y: Tensor[Float32] (4, 5) )",
        "  inner dimensions differ: 3 and 4",
    ]


def test_the_same_without_a_message_in_the_file() -> None:
    found = told("2.0.0_MatmulShape")
    assert (found.failure.op, found.why, found.failure.message) == ("MatMul", "inner dimensions differ: 3 and 4", "")


@pytest.mark.parametrize(("name", "with_log"), [("2.10.0_ArgCount", False), ("2.0.0_ArgCount", True)])
def test_too_many_arguments(name: str, with_log: bool) -> None:
    found = told(name, with_log)
    assert (found.kind, found.why) == ("arguments", "scale takes 2 arguments, 3 are given (self not counted)")
    assert found.reason.details == ("defined at nets.py:10   def scale(self, a, b):",)
    assert str(found.failure.place) == "nets.py:14"


def test_branches_of_different_types() -> None:
    found = told("2.10.0_BranchTypes")
    assert (found.kind, found.why) == (
        "branches",
        "the branches of this if return values of different types: tensor and tuple",
    )
    assert found.reason.details == (
        "true branch: nets.py:25   out = x",
        "false branch: a tuple of 2   nets.py:27   out = (x, x)",
    )
    assert told("2.0.0_BranchTypes").kind == "branches"


@pytest.mark.parametrize(
    ("name", "frame"), [("2.10.0_ConvChannels", "conv.py:373"), ("2.0.0_ConvChannels", "conv.py:313")]
)
def test_channels_of_a_convolution(name: str, frame: str) -> None:
    found = told(name)
    assert (found.failure.op, found.why) == ("Conv2D", "the input has 8 channels, the weight is for 16")
    place = found.failure.place
    assert place is not None
    assert (str(place), place.code) == ("nets.py:38", "return self.conv2(ops.relu(self.conv1(x)))")
    assert str(found.failure.frames[0]) == frame


@pytest.mark.parametrize("name", ["2.10.0_Unsupported", "2.0.0_Unsupported"])
def test_an_unsupported_call(name: str) -> None:
    found = told(name)
    assert found.kind == "unsupported"
    assert "has no attribute not_a_method" in found.why


def test_1x_writes_dat() -> None:
    found = explain_path(str(FAIL / "1.6.1_scalars.dat")).explanation
    assert (found.kind, found.failure.op) == ("unsupported", "greater_equal")
    assert found.why == "greater_equal is not defined for a tuple and a tuple in a compiled graph"
    assert str(found.failure.place) == "print_net.py:41"


def test_a_graph_that_did_not_fail() -> None:
    with pytest.raises(GraphError, match="no node carries a failure mark"):
        explain_path(str(FIXTURES / "pairs" / "2.10.0_conv_attr_stride" / "base.ir"))


def test_the_message_is_the_first_paragraph() -> None:
    found = read_failure_text((FAIL / "2.0.0_MatmulShape.txt").read_text(encoding="utf-8").splitlines())
    assert found.error == "ValueError"
    assert found.message.startswith("For 'MatMul', the input dimensions must be equal, but got 'x1_col': 3")
    assert not read_failure_text(["# num of function graphs in stack: 1"])


def test_as_json() -> None:
    document = explanation_json(told("2.10.0_MatmulShape"))
    assert document["schema"] == "msdump.graph-explain/1"
    assert document["arguments"][0] == {"name": "h", "type": "Tensor[Float32] (2, 3)", "value": ""}
    assert (document["source"], document["code"]) == ("nets.py:21", "return self.mm(h, y)")


def test_a_reason_is_given_for_every_failure_of_the_corpus(corpus: Path) -> None:
    files = sorted((corpus / "fail").glob("*/*/analyze_fail*"))
    kinds = {str(f.relative_to(corpus / "fail").parent): explain_path(str(f)).explanation.kind for f in files}
    assert {kind for name, kind in kinds.items() if name.startswith("1.")} == {"unsupported"}
    assert kinds["2.10.0/ArgCount"] == "arguments"
    assert "other" not in kinds.values()
    assert len(kinds) == len(files) == 19


# Calls


def test_a_call_whose_callee_is_not_in_the_file_says_what_is_known() -> None:
    reason = told("arity").reason
    assert reason.kind == "arguments"
    assert reason.why == (
        "the call passes 4 arguments (s, b, s, a) and was refused before blend was entered; "
        "what blend takes is not in this file"
    )
    assert reason.causes[0] == (
        "blend takes another number of arguments than 4 (self is not counted): `--source DIR` looks it up"
    )
    assert not reason.certain


SOURCE = '''"""A cell."""
from mindspore import nn, ops


class Mixer(nn.Cell):
    def blend(self, first, second, third=None):
        return first

    def construct(self, a, b):
        s = ops.mul(a, b)
        return self.blend(s, b, s, a)
'''


def test_what_a_callee_takes_is_looked_up_in_the_sources_given(tmp_path: Path) -> None:
    (tmp_path / "mixer.py").write_text(SOURCE, encoding="utf-8")
    reason = explain_path(str(FAIL / "arity.ir"), source=str(tmp_path)).explanation.reason
    assert reason.why == (
        "blend takes 3 arguments (first, second, third), 4 are given (s, b, s, a); self is not counted"
    )
    assert reason.details == ("defined at mixer.py:6   def blend(self, first, second, third=None):",)
    assert reason.certain


@pytest.mark.parametrize("change", [("s, b, s, a", "s, b, a"), ("third=None", "*rest")])
def test_a_source_that_is_another_one_or_takes_as_many_decides_nothing(tmp_path: Path, change: tuple[str, str]) -> None:
    (tmp_path / "mixer.py").write_text(SOURCE.replace(*change), encoding="utf-8")
    assert explain_path(str(FAIL / "arity.ir"), source=str(tmp_path)).explanation.reason.causes != ()


def test_definitions() -> None:
    found = find_definition(SOURCE, "blend", 11)
    assert found is not None
    assert (found.line, found.parameters, found.required, found.variadic) == (6, ("first", "second", "third"), 2, False)
    assert [found.takes(count) for count in (1, 2, 3, 4)] == [False, True, True, False]
    assert find_definition("class A(", "blend", 1) is None
    assert find_definition(SOURCE, "mix", 11) is None
    twice = "class A:\n    def f(self): ...\nclass B:\n    def f(self, x): ...\nclass C:\n    def g(self): f()\n"
    assert find_definition(twice, "f", 6) is None  # it could be either


# Operators: their own checks are asked


def test_a_bias_of_a_wrapped_operator_and_of_another_subgraphs_parameter() -> None:
    found = told("bias")
    assert (found.op, found.kind, found.why) == ("BiasAdd", "shape", "channels differ, 7 against 4")
    assert list(map(str, found.failure.arguments)) == ["v: Tensor[Float32] (2, 7, 3)", "offset: Tensor[Float32] (4)"]


@pytest.mark.parametrize("name", ["2.0.0_BiasFunc", "2.7.0_BiasFunc"])
def test_an_operator_that_a_variable_holds(name: str) -> None:
    found = told(name)
    assert (found.op, found.why) == ("BiasAdd", "channels differ, 6 against 3")
    assert str(found.failure.place) == "nets.py:25"


@pytest.mark.parametrize("name", ["2.0.0_ConcatShapes", "2.10.0_ConcatShapes"])
def test_a_tuple_of_tensors_is_followed(name: str) -> None:
    found = told(name)
    assert found.op == "Concat"
    assert found.why == "(2, 3) and (4, 5) differ in axis 1 besides axis 0, along which they are joined: 3 and 5"


@pytest.mark.parametrize(
    ("text", "name", "attrs"),
    [
        ('DoSignaturePrimitive::S-Prim-BiasAdd{prim_type=1}[format="NCHW"]', "BiasAdd", {"format": Str("NCHW")}),
        ("S-Prim-Split[axis=I64(1), flag=Bool(0)]", "Split", {"axis": Scalar("", 1), "flag": Scalar("", 0)}),
        ("Conv2D[stride=(I64(1), I64(2))]", "Conv2D", {"stride": Sequence("Tuple", (Scalar("", 1), Scalar("", 2)))}),
        ("PrimFunc_Add", "Add", None),
        ("Odd[a=<b>]", "Odd", None),
    ],
)
def test_operators_are_split_from_their_attributes(text: str, name: str, attrs: object) -> None:
    found, given = split_operator(text)
    assert (found, None if given is None else dict(given)) == (name, attrs)


# The text of an error


def test_an_error_without_a_graph() -> None:
    account = explain_path(str(FAIL / "keyword.log"))
    assert explanation_lines(account.explanation, missing=account.missing) == [
        "compilation stopped at shifts.py:16   return v.roll(step=k)",
        "  roll",
        "  the function that is called has no parameter named step",
        "  give it by position, or by the name that the definition has",
        "reached from",
        "  shifts.py:12   return self.turn(v)",
        "MindSpore's message",
        "  RuntimeError: Got an unexpected keyword argument 'step'",
        "the graph at the failure is in /data/run/rank_0/om/analyze_fail.ir, which is not here",
    ]


def test_the_graph_that_an_error_names_is_found_beside_it(tmp_path: Path) -> None:
    shutil.copy(FAIL / "keyword.log", tmp_path)
    shutil.copy(FAIL / "2.0.0_MatmulShape.ir", tmp_path / "analyze_fail.ir")
    account = explain_path(str(tmp_path / "keyword.log"))
    assert (account.graph_path, account.missing) == (str(tmp_path / "analyze_fail.ir"), "")
    assert account.explanation.op == "MatMul"
    assert account.explanation.failure.text.error == "RuntimeError"


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda text: "".join("> " + line for line in text.splitlines(True)).encode(),
        lambda text: "".join("    " + line for line in text.splitlines(True)).encode(),
        lambda text: text.replace("\n", "\r\n").encode("utf-16"),
        lambda text: "".join(f"\x1b[31m{line}\x1b[0m\n" for line in text.splitlines()).encode(),
        lambda text: "".join(f"[1,0]<stderr>:{line}" for line in text.splitlines(True)).encode(),
    ],
    ids=["quoted", "indented", "utf-16", "colours", "ranks"],
)
def test_a_pasted_error_gives_the_same(tmp_path: Path, wrapped) -> None:  # type: ignore[no-untyped-def]
    plain = (FAIL / "keyword.log").read_text(encoding="utf-8")
    (tmp_path / "pasted.log").write_bytes(wrapped(plain))
    got, expected = explain_path(str(tmp_path / "pasted.log")), explain_path(str(FAIL / "keyword.log"))
    assert explanation_lines(got.explanation) == explanation_lines(expected.explanation)
    assert [note.level for reading in got.readings for note in reading.notes] != []


def test_what_is_no_failure_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind\n", encoding="utf-8")
    with pytest.raises(UnknownFormatError, match="tells of no failed compilation"):
        explain_path(str(tmp_path / "notes.txt"))
    assert inspect(FAIL / "keyword.log").format == "failure-log"


@pytest.mark.parametrize(
    ("message", "kind", "why"),
    [
        ("For primitive[Gather], the axis must be in [-2,2), but got 4.", "value",
         "axis 4 is out of range for 2 dimensions"),
        ("name 'nowhere' is not defined", "name", "the name nowhere is not defined where construct uses it"),
        ("External object has no attribute thing", "name", "self has no attribute thing"),
        ("The key b does not exist in the dict:ValueAny", "value", "the dictionary has no key b"),
        (
            "For primitive[NLLLoss], the input argument[labels] must be a type of {Tensor[Int32], Tensor[Int64], }, "
            "but got Tensor[Float32].",
            "dtype",
            "labels must be Tensor[Int32] or Tensor[Int64], not Tensor[Float32]",
        ),
        ("For 'Split', x_shape[1] must be divisible by output_num = 2, but got 3", "shape",
         "x_shape[1] must be divisible by output_num = 2, but got 3"),
    ],
)  # fmt: skip
def test_reasons_in_messages(tmp_path: Path, message: str, kind: str, why: str) -> None:
    (tmp_path / "error.txt").write_text(f"ValueError: {message}\n", encoding="utf-8")
    found = explain_path(str(tmp_path / "error.txt")).explanation
    assert (found.kind, found.why) == (kind, why)


def test_a_message_without_its_address_and_notation() -> None:
    assert plain_message("For 'Stack' element 1: [const vector]{2, 3} and [const vector][4].") == (
        "element 1: (2, 3) and (4)"
    )
