"""The oddities that break a naive reader, one by one: what each is read as, and that it prints back."""

from __future__ import annotations

import pytest

from msdump.formats import ir
from msdump.graph import CALL, CALL_VAR, GraphRef, MonadType, NodeRef, ScalarType, TensorType, ValueNode
from msdump.graph.abstract import DictType, KeywordType, RefType, SequenceType
from msdump.graph.value import Monad, Named, Opaque, Scalar, Sequence, Str, TensorValue, TypeValue
from tests.formats.ir.texts import exact, first, v1, v2

F32 = "<Tensor[Float32]x[const vector][2]>"
N = "<null>"
STRING = ScalarType("String")


def typed(*types: str) -> str:
    return f"      : ({', '.join(types)}) -> ({N})"


def test_1_a_newline_and_a_tab_in_a_parameter_name() -> None:
    params = "%para1_new\nline\ttab : <Ref[Tensor(F32)]x[const vector][2]>"
    body = f"  %0([CNode]1) = Add(%para1_new\nline\ttab, %para1_new\nline\ttab)\n{typed(F32, F32)}"
    graph = exact(v1(body, params))
    assert graph.root.parameters[0].name == "new\nline\ttab"
    assert [operand.name for operand in first(graph).inputs if isinstance(operand, NodeRef)] == ["new\nline\ttab"] * 2


def test_1_a_newline_in_a_ref_key() -> None:
    graph = exact(v2("  Return(%para1_a\nb)", "%para1_a\nb: <Ref[Tensor[Float32]], (2), ref_key=a\nb, is_parameter>"))
    assert graph.root.parameters[0].abstract == RefType(TensorType("Float32", (2,)), "a\nb", True)


def test_2_a_parameter_name_with_commas_and_brackets() -> None:
    odd = "weird name, with {braces} [x] (y) = %1 @z"
    params = f"%para1_x : {F32}\n%para2_{odd} : {F32}"
    graph = exact(v1(f"  %0(a) = Mul(%para1_x, %para2_{odd}) {{output_names: [output]}}\n{typed(F32, F32)}", params))
    assert first(graph).inputs == (NodeRef("x"), NodeRef(odd))
    assert dict(first(graph).primitive_attrs) == {"output_names": Sequence("List", (Str("output"),))}


def test_3_an_unquoted_string_is_told_by_the_types() -> None:
    text = "quotes \" and ' {braces} [1, 2] (3), comma, = %1 @a $b # // \u4e2d\u6587 \t tab"
    body = f"  %0(a) = Print({text}, %para1_x) {{_side_effect: true}}\n{typed('<String>', F32)}"
    node = first(exact(v1(body)))
    assert node.inputs == (ValueNode(Str(text), STRING), NodeRef("x"))


def test_3_an_empty_string_and_a_string_with_a_newline() -> None:
    body = f"  %0(a) = Print(, %para1_x, line\nbreak)\n{typed('<String>', F32, '<String>')}"
    node = first(exact(v1(body)))
    assert node.inputs == (ValueNode(Str(""), STRING), NodeRef("x"), ValueNode(Str("line\nbreak"), STRING))


def test_4_a_quoted_string_is_not_escaped() -> None:
    body = (
        '  %0(a) = Print("quotes " and \' {braces} [1, 2] (3), comma, = %1", %para1_x)\n'
        "      : (<String, NoShape>, <Tensor[Float32], (2)>) -> (<null>)"
    )
    node = first(exact(v2(body)))
    assert node.inputs[0] == ValueNode(Str("quotes \" and ' {braces} [1, 2] (3), comma, = %1"), STRING)


def test_4_quotes_and_commas_inside_a_tuple_of_strings() -> None:
    body = '  %0(a) = make_dict(("a", "b", "c, "q" {z}"), %para1_x)\n      : (<null>, <null>) -> (<null>)'
    node = first(exact(v2(body)))
    assert isinstance(node.inputs[0], ValueNode)
    assert node.inputs[0].value == Sequence("Tuple", (Str("a"), Str("b"), Str('c, "q" {z}')))


def test_5_unquoted_strings_inside_a_tuple() -> None:
    body = f'  %0(a) = S-Prim-getitem((1, (2.500000, text, with "quotes"), None, true), 0)\n{typed(N, N)}'
    node = first(exact(v1(body)))
    assert (node.op, node.op_kind, len(node.inputs)) == ("getitem", "S-Prim", 2)


def test_6_a_tensor_over_several_lines_and_attributes_behind_it() -> None:
    body = (
        f"  %0(a) = Cast(Tensor(shape=[2, 2], dtype=Int8, value=\n[[-1  2]\n [ 3  4]]), Float32) {{SrcT: I8}}\n"
        f"{typed(N, '<kMetaTypeTypeType>')}"
    )
    node = first(exact(v1(body)))
    tensor, target = (operand.value for operand in node.inputs if isinstance(operand, ValueNode))
    assert tensor == TensorValue("Int8", (2, 2), "[[-1  2]\n [ 3  4]]")
    assert target == TypeValue("Float32")
    assert dict(node.primitive_attrs) == {"SrcT": Str("I8")}


def test_7_left_out_and_not_finite_numbers() -> None:
    body = (
        "  %0(a) = F(Tensor(shape=[3], dtype=Float32, value= [ inf -inf  nan]), "
        f"Tensor(shape=[20, 100], dtype=Float32, value= [...]))\n{typed(N, N)}"
    )
    a, b = (operand.value for operand in first(exact(v1(body))).inputs if isinstance(operand, ValueNode))
    assert (a, b) == (TensorValue("Float32", (3,), "[ inf -inf  nan]"), TensorValue("Float32", (20, 100)))


@pytest.mark.parametrize(
    ("text", "op", "kind"),
    [
        ("class 'float'(inf)", "class 'float'", ""),
        ("class 'mindspore.ops.operations.array_ops.Shape'()", "class 'mindspore.ops.operations.array_ops.Shape'", ""),
        ("S-Prim-getitem(%para1_x)", "getitem", "S-Prim"),
        ("unpack_call.7(%para1_x)", "unpack_call.7", ""),
        (
            "MindIRMetaFuncGraph:hyper_map[zeros_like_leaf](%para1_x)",
            "MindIRMetaFuncGraph:hyper_map[zeros_like_leaf]",
            "",
        ),
    ],
)
def test_8_names_of_operators(text: str, op: str, kind: str) -> None:
    node = first(exact(v1(f"  %0(a) = {text}")))
    assert (node.op, node.op_kind) == (op, kind)


def test_8_an_operator_with_braces_that_hold_parentheses() -> None:
    op = "HyperMapPy_hyper_map[add_backward]{fn_leaf: MultitypeFuncGraph_add_backward{(MapTensor, MapTensor), (A)}}"
    node = first(exact(v2(f"  %0(CNode_1) = {op}(%para1_x)")))
    assert (node.op, node.inputs) == (op, (NodeRef("x"),))


def test_9_a_callee_that_is_an_undeclared_name() -> None:
    node = first(exact(v1("  %0([CNode]38) = $(main.7:bias_broadcast_to)(%para1_x)")))
    assert (node.op, node.callee) == (CALL_VAR, NodeRef("$(main.7:bias_broadcast_to)", ""))


def test_9_graphs_that_an_indirect_call_may_reach() -> None:
    body = (
        "  %0(CNode_1) = Parameter_27[@@g_28](%para1_x)\n"
        "  %1(CNode_2) = %0[@FuncUnion(@a_1, @b_2)]()\n"
        "  %2(CNode_3) = $(@g_28:CNode_7)[@FuncUnion(@a_1, @b_2)](%1)"
    )
    nodes = exact(v2(body)).root.nodes
    assert [node.op for node in nodes] == [CALL_VAR] * 3
    assert [node.callee for node in nodes] == [
        NodeRef("Parameter_27", ""),
        NodeRef("%0"),
        NodeRef("$(@g_28:CNode_7)", ""),
    ]
    assert nodes[0].targets == (GraphRef("g_28"),)
    assert nodes[1].targets == nodes[2].targets == (GraphRef("a_1"), GraphRef("b_2"))


def test_9_a_call_of_a_subgraph() -> None:
    node = first(exact(v2("  %0(CNode_1) = call @func_2(%para1_x)\n      : (<Tensor[Float32], (2)>) -> (<null>)")))
    assert (node.op, node.callee, node.inputs) == (CALL, GraphRef("func_2"), (NodeRef("x"),))


@pytest.mark.parametrize("label", ["@[CNode]26", "equiv[CNode]78", "\u03a6self.step", "CNode_110$q", "\u25bdout", ""])
def test_10_names_of_nodes(label: str) -> None:
    graph = exact(v1(f"  %0({label}) = A(%para1_x)\n  %1({label}) = B(%0)"))
    assert [(node.name, node.debug_name) for node in graph.root.nodes] == [("%0", label), ("%1", label)]
    assert graph.root.nodes[1].inputs == (NodeRef("%0"),)


def test_11_a_dead_node_and_monads() -> None:
    body = f"  %0(a) = switch(true, @g.1, Dead Node)\n{typed('<Bool>', '<Func>', '<unknown>')}"
    node = first(exact(v1(body)))
    assert node.inputs[0] == ValueNode(Scalar("Bool", True), ScalarType("Bool"))
    assert node.inputs[1:] == (GraphRef("g.1"), ValueNode(Named("Problem", "Dead Node"), ScalarType("unknown")))
    body = "  %0(a) = Load(%para1_x, UMonad[U])\n      : (<Tensor[Float32], (2)>, <UMonad, NoShape>) -> (<null>)"
    assert first(exact(v2(body))).inputs[1] == ValueNode(Monad("U"), MonadType("UMonad"))


def test_12_types_with_brackets_and_quotes_inside() -> None:
    kinds = '<Dictionary[[k,z "q",],[Tensor[Float32]*2]], NoShape>, <Keyword[key : dim, value : Int64], NoShape>'
    output = "<Tuple[Func,Int64*2], TupleShape(NoShape, NoShape, NoShape)>"
    node = first(exact(v2(f"  %0(a) = F(%para1_x, %para1_x)\n      : ({kinds}) -> ({output})")))
    seen = [operand.abstract for operand in node.inputs]
    assert seen == [
        DictType(("k", 'z "q"'), (TensorType("Float32"), TensorType("Float32"))),
        KeywordType("dim", ScalarType("Int64")),
    ]
    assert isinstance(node.abstract, SequenceType)
    assert len(node.abstract.elements or ()) == 3


def test_13_dynamic_shapes_and_symbols() -> None:
    params = "%para1_x: <Tensor[Float32], (-1, 4)> : [s1<[1,inf]>, 4]"
    body = (
        "  %0(a) = ReLU(%para1_x)\n      : (<Tensor[Float32], (-1, 4)>) -> (<Tensor[Float32], (-1, 4)>)\n"
        "      : (S:[s1<[1,inf]>, 4], V:false) -> (S:[s1<[1,inf]>, 4])"
    )
    graph = exact(v2(body, params))
    assert graph.root.parameters[0].symbols == "[s1<[1,inf]>, 4]"
    symbols = first(graph).symbols
    assert symbols is not None
    assert (symbols.inputs, symbols.outputs) == (("S:[s1<[1,inf]>, 4]", "V:false"), ("S:[s1<[1,inf]>, 4]",))
    old = "<Tensor[Float32], {shape:(-1, 4)|min shape:(1, 4)|max shape:(8, 4)}>"
    graph = exact(v1(f"  %0(a) = ReLU(%para1_x)\n      : ({old}) -> ({old})", f"%para1_x : {old}"))
    assert first(graph).abstract == TensorType("Float32", (-1, 4), (1, 4), (8, 4))


def test_14_source_lines_of_other_nodes() -> None:
    body = (
        "  %0(a) = ReLU(%para1_x)\n"
        "      # In file f.py:3, 4~9/    y = relu(x)  # a/b/\n"
        "      # Corresponding forward node candidate:\n"
        "      # inlined:In file g.py:7~8, 0~2/def f():/<~~This line of code can be shared by multiple nodes, "
        "and may be duplicated./\n"
        "      # SideEffect: { io load }\n"
        "      # Comment:\n        # @jit.cond: True"
    )
    node = first(exact(v2(body)))
    own, other = node.locations
    assert (own.file, own.line, own.column, own.end_column, own.code) == ("f.py", 3, 4, 9, "    y = relu(x)  # a/b")
    assert (other.role, other.inlined, other.shared, other.end_line) == ("forward", True, True, 8)
    assert node.side_effects == ("io", "load")
    assert node.comments == ("# Comment:", "  # @jit.cond: True")


def test_15_resolve_with_a_name_space() -> None:
    call = "resolve(NameSpace[Entry: '__main__.Net.construct'], __main__.Net.construct)"
    body = f"  %0(CNode_1) = {call}\n      : (<null>, <null>) -> (<null>)"
    a, b = (operand.value for operand in first(exact(v2(body))).inputs if isinstance(operand, ValueNode))
    assert (a, b) == (Named("NameSpace", "Entry: '__main__.Net.construct'"), Named("Symbol", "__main__.Net.construct"))


def test_16_graphs_that_are_in_another_file() -> None:
    graph = exact(v1("  %0(a) = call @kernel_graph_3(%para1_x)\n  Return(%0)"))
    assert first(graph).callee == GraphRef("kernel_graph_3")
    assert "kernel_graph_3" not in graph.funcs


def test_16_parameters_of_an_entry_graph_in_another_file() -> None:
    text = v1("  %0(a) = ReLU(%para1_x)\n" + typed(F32)).replace("subgraph @main.1()", "subgraph @other.2()")
    graph = exact(text)
    assert (graph.entry, list(graph.funcs)) == ("main.1", ["main.1", "other.2"])
    assert graph.root.nodes == ()
    assert graph.funcs["other.2"].nodes[0].inputs == (NodeRef("x", "main.1"),)


def test_18_nodes_without_types_and_without_notes() -> None:
    graph = exact(v1("  %0(a) = A(%para1_x)\n  %1(b) = B(%0)\n" + typed(N) + "\n  Return(%1)"))
    assert [node.op for node in graph.root.nodes] == ["A", "B", "Return"]
    assert graph.root.output == NodeRef("%1")


def test_what_a_newer_release_may_write_is_kept_and_counted() -> None:
    body = (
        "  %0(a) = NewOp(%para1_x, Quantum<7>) new_attrs: {k: v} {in_strategy: ((1, 1))}\n"
        "      : (<Tensor[Float99], (2)>, <Qubit{3}, NoShape>) -> (<Tensor[Float32], (2)>)\n"
        "      # Brand new: {1}"
    )
    node = first(exact(v2(body)))
    assert [label for label, _ in node.other_attrs] == ["new_attrs", ""]
    assert node.comments == ("# Brand new: {1}",)
    from msdump.graph.opaque import iter_opaque

    graph = ir.parse(v2(body))
    assert [(o.where, o.kind, o.text) for o in iter_opaque(graph)] == [
        ("@main_1 %0 input 1", "value", "Quantum<7>"),
        ("@main_1 %0 input 1", "type", "<Qubit{3}, NoShape>"),
        ("@main_1 %0", "comment", "# Brand new: {1}"),
    ]
    assert isinstance(node.inputs[1], ValueNode)
    assert node.inputs[1].value == Opaque("Quantum<7>")
