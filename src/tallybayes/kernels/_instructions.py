"""Single instructions of the processor that Python has no word for, for compiled kernels."""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    signature = types.float64(types.float64, types.float64, types.float64)

    def code(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        return builder.fma(*args)

    return signature, code


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _load(typing_context: Any, data: Any, at: Any) -> Any:
    signature = types.uint64(data, types.int64)

    def code(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        place = builder.bitcast(builder.gep(array.data, [args[1]]), ir.IntType(64).as_pointer())
        number = builder.load(place)
        number.align = 1
        return builder.bswap(number) if sys.byteorder == "little" else number

    return signature, code


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _leading_zeros(typing_context: Any, number: Any) -> Any:
    signature = types.int64(types.uint64)

    def code(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        return builder.ctlz(args[0], cgutils.false_bit)

    return signature, code


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _times_four(typing_context: Any, factors: Any, data: Any, at: Any) -> Any:
    four = types.UniTuple(types.float64, 4)  # type: ignore[no-untyped-call, unused-ignore]
    signature = four(four, data, types.uint64)

    def code(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[1])(context, builder, args[1])
        vector, lane = ir.VectorType(ir.DoubleType(), 4), ir.IntType(32)
        others = builder.load(builder.bitcast(builder.gep(array.data, [args[2]]), vector.as_pointer()))
        others.align = 8
        own: Any = ir.Constant(vector, ir.Undefined)
        for i in range(4):
            own = builder.insert_element(own, builder.extract_value(args[0], i), ir.Constant(lane, i))
        products = builder.fmul(own, others)
        out = cgutils.get_null_value(args[0].type)  # type: ignore[no-untyped-call, unused-ignore]
        for i in range(4):
            out = builder.insert_value(out, builder.extract_element(products, ir.Constant(lane, i)), i)
        return out

    return signature, code


fma: Any = _fma
"""``fma(a, b, c)`` is a * b + c, rounded once; the exact rest of a product is ``fma(a, b, -(a * b))``."""

load_eight: Any = _load
"""``load_eight(data, at)`` is ``data[at:at + 8]`` as a number, the first byte highest; all of it has to be there."""

leading_zeros: Any = _leading_zeros
"""``leading_zeros(number)`` is how many bits stand before the first that is set, 64 where none is."""

times_four: Any = _times_four
"""``times_four(factors, data, at)`` is four floats, each times its own of ``data[at:at + 4]``, as one product."""
