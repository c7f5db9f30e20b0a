package io.penstock.djl;

import ai.djl.ndarray.types.DataType;
import io.penstock.tensor.DType;
import java.util.Map;

/** DJL's names of dtypes, and which of them an engine must not be asked for. */
final class NdTypes {

    private static final String PYTORCH = "PyTorch";

    /**
     * What DJL's PyTorch (0.35.1) has no array of, and what to use instead. It must be kept from them: its native code
     * ends the process.
     */
    private static final Map<DType, DType> NOT_IN_PYTORCH = Map.of(
            DType.I16, DType.I32,
            DType.U16, DType.I32,
            DType.U32, DType.I64,
            DType.U64, DType.I64,
            DType.BF16, DType.F32);

    private NdTypes() {}

    /** @throws IllegalArgumentException if the engine has no such arrays */
    static DataType of(DType dtype, String field, String engine) {
        DType instead = engine.equals(PYTORCH) ? NOT_IN_PYTORCH.get(dtype) : null;
        if (instead != null) {
            throw new IllegalArgumentException(
                    "cannot hand field \"%s\" to %s: DJL has no %s there; map it to %s before batching"
                            .formatted(field, engine, dtype, instead));
        }
        return switch (dtype) {
            case BOOL -> DataType.BOOLEAN;
            case U8 -> DataType.UINT8;
            case I8 -> DataType.INT8;
            case U16 -> DataType.UINT16;
            case I16 -> DataType.INT16;
            case U32 -> DataType.UINT32;
            case I32 -> DataType.INT32;
            case U64 -> DataType.UINT64;
            case I64 -> DataType.INT64;
            case F16 -> DataType.FLOAT16;
            case BF16 -> DataType.BFLOAT16;
            case F32 -> DataType.FLOAT32;
            case F64 -> DataType.FLOAT64;
        };
    }
}
