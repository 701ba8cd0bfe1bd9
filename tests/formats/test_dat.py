from __future__ import annotations

from pathlib import Path

import pytest

from msdump.errors import ParseError
from msdump.formats import dat
from msdump.graph import (
    CNode,
    FuncType,
    Graph,
    GraphRef,
    Location,
    MonadType,
    NodeRef,
    OpaqueType,
    Parameter,
    RefType,
    ScalarType,
    SequenceType,
    TensorType,
)
from msdump.graph.abstract import Abstract
from msdump.graph.node import ValueNode
from msdump.graph.value import Monad, Named, NoneValue, Scalar, Sequence, Str, TensorValue, TypeValue
from msdump.graph.verify import verify
from tests.conftest import FIXTURES, every, real

FOLDER = FIXTURES / "dat"
FILES = sorted(FOLDER.glob("*.dat"))
BOOL = ScalarType("Bool")
ONE = Scalar("Int64", 1)


def read_text(tmp_path: Path, body: str, parameters: str = "        %para1    # x") -> Graph:
    path = tmp_path / "g.dat"
    path.write_text(f"# [No.1] g.1\n# \nfuncgraph fg_1(\n{parameters}\n    ) {{\n{body}\n}}\n", encoding="utf-8")
    return dat.read(path)


def test_a_small_graph_whole() -> None:
    graph = dat.read(FOLDER / "1.0.0_conv_relu.dat")
    root = graph.root
    assert graph.entry == root.name
    image = TensorType("Float32", (1, 3, 8, 8))
    assert root.parameters[0] == Parameter("x", image)
    assert root.parameters[1].has_default
    assert [n.op for n in root.nodes] == ["Conv2D", "BiasAdd", "ReLU", "Return"]
    conv = root.nodes[0]
    assert conv.inputs == (NodeRef("x"), NodeRef("conv.weight"))
    assert conv.scope == "Default/conv-Conv2d"
    assert conv.abstract == TensorType("Float32", (1, 4, 8, 8))
    assert conv.primitive_attrs["kernel_size"] == Sequence("Tuple", (Scalar("Int32", 3), Scalar("Int32", 3)))
    assert conv.locations[0].line == 261
    assert conv.locations[0].code == "output = self.conv2d(x, self.weight)"


def test_a_string_with_quotes_and_commas_is_one_argument() -> None:
    prints = [n for _, n in dat.read(FOLDER / "1.1.1_print_net.dat").iter_nodes() if n.op == "Print"]
    text = "quotes \" and ' {braces} [1, 2] (3), comma, = %1 @a $b # // 中文 \t tab"
    assert prints[2].inputs == (ValueNode(Str(text), ScalarType("String")), NodeRef("%0"))
    assert prints[3].inputs == (
        ValueNode(Str("input x:"), ScalarType("String")),
        NodeRef("x"),
        ValueNode(Str("input y:"), ScalarType("String")),
        NodeRef("y"),
    )


def test_control_flow() -> None:
    graph = dat.read(FOLDER / "1.6.1_while.dat")
    header = graph.funcs["35_3_⤾construct.202"]
    assert graph.root.nodes[0].callee == GraphRef(header.name)
    assert graph.root.nodes[0].inputs[4] == ValueNode(Monad("U"), MonadType("UMonad"))
    assert header.location == Location("/home/user/work/nets/control_flow.py", 30, code="while i < n:")
    assert header.nodes[1].inputs[0] == GraphRef("36_4_⥁construct.207")
    assert header.nodes[1].abstract == FuncType()
    assert header.nodes[4] == CNode(
        "%4",
        "call_var",
        abstract=SequenceType("Tuple", (TensorType("Float32"), TensorType("Int32"))),
        callee=NodeRef("%3"),
        scope="Default",
        debug_name=header.nodes[4].debug_name,
        locations=(Location("/home/user/work/nets/control_flow.py", 30, code="while i < n:"),),
        targets=(GraphRef("36_4_⥁construct.207"), GraphRef("40_29_↓construct.203")),
    )
    assert header.nodes[4].debug_name == "[CNode]71"
    assert graph.funcs["36_4_⥁construct.207"].flags["switch_input"] == Scalar("", 1)


def test_names_with_newlines_braces_and_quotes_and_free_variables() -> None:
    graph = dat.read(FOLDER / "1.6.1_odd.dat")
    assert [p.name for p in graph.root.parameters] == [
        "x",
        "new\nline\ttab",
        "p-4$",
        "a/b\\c\"d'e#f//g",
        "参数.权重:0",
        "weird name, with {braces} [x] (y) = %1 @z",
    ]
    inner = graph.funcs["2_construct.30"]
    assert inner.parent == graph.entry
    assert inner.nodes[0].inputs == (
        NodeRef("x"),
        NodeRef("weird name, with {braces} [x] (y) = %1 @z", graph.entry),
        NodeRef("u"),
    )
    assert verify(graph) == ()


def test_untyped_graph_constants_by_type_number() -> None:
    graph = dat.read(FOLDER / "1.10.0_consts.dat")
    nodes = graph.funcs["Default.35"].nodes
    assert (nodes[0].op, nodes[0].op_kind) == ("add", "S-Prim")
    assert nodes[0].inputs[1] == ValueNode(TensorValue("Float32", ()))
    assert nodes[6].inputs == (ValueNode(TensorValue("Int8", (2, 2))), ValueNode(TypeValue("Float32")))
    assert nodes[1].inputs == (ValueNode(Scalar("Int64", 0)), ValueNode(Scalar("Int64", 1)))
    assert nodes[0].debug_name == "y"


def test_a_failed_compilation_keeps_its_marks() -> None:
    graph = dat.read(FOLDER / "1.0.0_analyze_fail.dat")
    assert [(f.name, n.name, n.failure) for f, n in graph.iter_nodes() if n.failure is not None] == [
        ("construct_wrapper.30", "%0", 0),
        ("construct.34", "%1", 1),
    ]
    assert graph.funcs["construct.34"].nodes[2].callee == GraphRef("bool_.38")


def test_nodes_that_only_inner_graphs_list_come_home(tmp_path: Path) -> None:
    path = tmp_path / "g.dat"
    path.write_text(
        "# [No.1] outer.1\n# \nfuncgraph fg_1(\n        %para1    # x\n    ) {\n"
        "    %1 = FuncGraph::fg_2()    # fg_2=inner.2 #scope: Default\n#[CNode]1\n"
        "    Primitive::Return{prim_type=1}(%1)    #(Undefined) #scope: Default\n#[CNode]2\n}\n\n\n"
        "# [No.2] inner.2\n# \nfuncgraph fg_2[fg_1](\n) {\n"
        "    %1 = $(outer.1):Primitive::neg{prim_type=1}(%para1)    #(Undefined) #scope: Default\n#[CNode]7\n"
        "    %2 = Primitive::abs{prim_type=1}(%1)    #(Undefined) #scope: Default\n#[CNode]8\n"
        "    Primitive::Return{prim_type=1}(%2)    #(Undefined) #scope: Default\n#[CNode]9\n}\n",
        encoding="utf-8",
    )
    graph = dat.read(path)
    outer, inner = graph.funcs["outer.1"], graph.funcs["inner.2"]
    assert [(n.name, n.op, n.inputs) for n in outer.nodes] == [
        ("%0", "call", ()),
        ("%2", "neg", (NodeRef("x"),)),
        ("%1", "Return", (NodeRef("%0"),)),
    ]
    assert [(n.name, n.op, n.inputs) for n in inner.nodes] == [
        ("%0", "abs", (NodeRef("%2", "outer.1"),)),
        ("%1", "Return", (NodeRef("%0"),)),
    ]
    assert inner.parent == "outer.1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tensor(F32)[2, 3]", TensorType("Float32", (2, 3))),
        ("Tensor(Bool)[]", TensorType("Bool", ())),
        ("Tensor(BF16)[-1, 4]", TensorType("BFloat16", (-1, 4))),
        ("Ref[Tensor(F32)][4]", RefType(TensorType("Float32", (4,)))),
        ("Tuple[I64*2]", SequenceType("Tuple", (ScalarType("Int64"), ScalarType("Int64")))),
        ("Tuple[List[Bool],I32]", SequenceType("Tuple", (SequenceType("List", (BOOL,)), ScalarType("Int32")))),
        (
            "Tuple[Tensor(F32)*2]TupleShape((8), (3, 3))",
            SequenceType("Tuple", (TensorType("Float32", (8,)), TensorType("Float32", (3, 3)))),
        ),
        ("BoolNoShape", BOOL),
        ("UMonadNoShape", MonadType("UMonad")),
        ("Slice[None : None : Int64]", OpaqueType("Slice[None : None : Int64]")),
    ],
)  # fmt: skip
def test_types(tmp_path: Path, text: str, expected: Abstract) -> None:
    graph = read_text(tmp_path, f"    %1 : {text} = Primitive::f(%para1)    #(Undefined) #scope: Default\n      # ")
    assert graph.root.nodes[0].abstract == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F32(1e-07)", Scalar("Float32", 1e-07)),
        ("Bool(0)", Scalar("Bool", False)),
        ('(I64(1), ("a", None))', Sequence("Tuple", (ONE, Sequence("Tuple", (Str("a"), NoneValue()))))),
        ("[F16, I64(1)]", Sequence("List", (TypeValue("Float16"), ONE))),
        ("NameSpace::ClassMember@null", Named("NameSpace", "ClassMember")),
        ('UnpackCall::unpack{prim_type=1}[names=["a", "b"], t=Bool(1)]', Named("UnpackCall", "unpack")),
        ("IOMonad[IO]", Monad("IO")),
        ("params", Named("Symbol", "params")),
        ("Tensor(43)[2]@null", TensorValue("Float32", (2,))),
        ('""', Str("")),
    ],
)  # fmt: skip
def test_values(tmp_path: Path, text: str, expected: object) -> None:
    graph = read_text(tmp_path, f"    %1 = Primitive::f({text}, %para1)    #(Undefined, Undefined) #scope: D\n      # ")
    assert graph.root.nodes[0].inputs == (ValueNode(expected), NodeRef("x"))  # type: ignore[arg-type]  # a value of any kind


def test_a_string_with_a_newline(tmp_path: Path) -> None:
    graph = read_text(
        tmp_path, '    %1 = Primitive::f("line\nbreak, %para9", %para1)    #(String, Undefined)\n      # '
    )
    assert graph.root.nodes[0].inputs[0] == ValueNode(Str("line\nbreak, %para9"), ScalarType("String"))


def test_what_is_written_ambiguously_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "g.dat"
    path.write_text(
        "# [No.1] g\n# \nfuncgraph fg_1(\n        %para1    # x\n    ) {\n"
        '    %1 = Primitive::f("a", "b")    #(String, String, String)\n      # \n}\n'
    )
    assert [n.what for n in dat.inspect(path).notes] == ["the arguments of f are written ambiguously; read as 2"]


def test_the_end_inside_a_graph_is_an_error_with_what_stands_before(tmp_path: Path) -> None:
    data = (FOLDER / "1.6.1_while.dat").read_bytes()
    path = tmp_path / "g.dat"
    path.write_bytes(data[:2000])
    reading = dat.inspect(path)
    assert reading.error is not None
    assert reading.error.what == "graph 35_3_⤾construct.202 is not closed: the file ends inside it"
    assert reading.content.funcs["34_1_construct_wrapper.201"] == dat.read(FOLDER / "1.6.1_while.dat").root
    with pytest.raises(ParseError):
        dat.read(path)


def test_no_graph_at_all(tmp_path: Path) -> None:
    path = tmp_path / "g.dat"
    path.write_text("hello\n")
    with pytest.raises(ParseError, match="no funcgraph in it"):
        dat.read(path)


def test_a_chain_of_100_000_nodes(tmp_path: Path) -> None:
    lines = ["# [No.1] g", "# ", "funcgraph fg_1(", "        %para1    # x", "    ) {"]
    for i in range(1, 100_001):
        source = f"%{i - 1}" if i > 1 else "%para1"
        lines += [f"    %{i} = Primitive::ReLU({source})    #(Undefined) #scope: Default", "      # "]
    lines += ["    Primitive::Return(%100000)    #(Undefined) #scope: Default", "      # ", "}"]
    path = tmp_path / "g.dat"
    path.write_text("\n".join(lines))
    nodes = dat.read(path).root.nodes
    assert (len(nodes), nodes[-1].inputs, nodes[-2].inputs) == (100_001, (NodeRef("%99999"),), (NodeRef("%99998"),))


def test_deep_nesting_is_kept_as_text(tmp_path: Path) -> None:
    graph = read_text(tmp_path, f"    %1 : {'Tuple[' * 3000} = Primitive::f({'(' * 3000})    #(Undefined)\n      # ")
    assert graph.root.nodes[0].op == "f"


@pytest.mark.parametrize("path", every(12, real("dat/*/*/*.dat", "fail/1.*/*/*.dat")))
def test_every_real_file(path: Path) -> None:
    reading = dat.inspect(path)
    assert reading.error is None
    assert reading.notes == ()
    faults = [f for f in verify(reading.content) if f.level == "error" and f.rule in ("dangling", "duplicate", "cycle")]
    assert faults == []
