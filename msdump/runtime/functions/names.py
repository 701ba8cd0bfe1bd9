"""Functional names that are one primitive without attributes, as `mindspore.ops.functional` has them.

`F.tensor_add` is an instance of Add. Names of 1.1 and of 2.x stand together; fixtures/ops/names_*.json
has the recorded list that a test holds this against.
"""

from __future__ import annotations

PRIMITIVES: dict[str, str] = {
    "control_depend": "ControlDepend",
    "dtype": "DType",
    "fill": "Fill",
    "floordiv": "FloorDiv",
    "floormod": "FloorMod",
    "make_tuple": "MakeTuple",
    "neg_tensor": "Neg",
    "pack": "Stack",
    "pows": "Pow",
    "reduce_mean": "ReduceMean",
    "reduce_sum": "ReduceSum",
    "ref_to_embed": "RefToEmbed",
    "reshape_": "Reshape",
    "scalar_cast": "ScalarCast",
    "scalar_to_array": "ScalarToArray",
    "scalar_to_tensor": "ScalarToTensor",
    "shape_": "Shape",
    "strided_slice": "StridedSlice",
    "tensor_add": "Add",
    "tensor_div": "RealDiv",
    "tensor_exp": "Exp",
    "tensor_expm1": "Expm1",
    "tensor_floordiv": "FloorDiv",
    "tensor_ge": "GreaterEqual",
    "tensor_gt": "Greater",
    "tensor_le": "LessEqual",
    "tensor_lt": "Less",
    "tensor_mod": "FloorMod",
    "tensor_mul": "Mul",
    "tensor_pow": "Pow",
    "tensor_range": "Range",
    "tensor_slice": "Slice",
    "tensor_sub": "Sub",
    "tuple_to_array": "TupleToArray",
    **{
        name: name
        for name in (
            *("bool_and", "bool_eq", "bool_not", "bool_or", "dict_getitem", "embed", "list_getitem", "list_len"),
            *("list_setitem", "make_dict", "make_list", "scalar_add", "scalar_div", "scalar_eq", "scalar_floordiv"),
            *("scalar_ge", "scalar_gt", "scalar_le", "scalar_lt", "scalar_mod", "scalar_mul", "scalar_ne"),
            *("scalar_pow", "scalar_sub", "scalar_uadd", "scalar_usub", "string_eq", "tuple_getitem", "tuple_len"),
            "tuple_setitem",
        )
    },
}
"""Functional name → the operator it is an instance of."""
