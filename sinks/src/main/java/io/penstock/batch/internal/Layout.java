package io.penstock.batch.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;

/** The dtype and shape that samples have of each field, and how its rows lie in a batch. Immutable. */
final class Layout {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final DType[] dtypes;
    private final Shape[] shapes;
    private final RowForm[] forms;
    private final long[] rowBytes;

    private Layout(DType[] dtypes, Shape[] shapes, RowForm[] forms) {
        this.dtypes = dtypes;
        this.shapes = shapes;
        this.forms = forms;
        this.rowBytes = new long[shapes.length];
        for (int field = 0; field < shapes.length; field++) {
            rowBytes[field] = Math.multiplyExact(
                    shapes[field].elements(), forms[field].dtype(dtypes[field]).bytes());
        }
    }

    /** @throws IllegalArgumentException if a field of this sample cannot have the form that it is to have */
    static Layout of(long index, List<Tensor> row, Memory memory) {
        RowForm[] forms = new RowForm[row.size()];
        for (int field = 0; field < forms.length; field++) {
            forms[field] = memory.form(field);
            forms[field].require(memory.names().get(field), index, row.get(field));
        }
        return new Layout(
                row.stream().map(Tensor::dtype).toArray(DType[]::new),
                row.stream().map(Tensor::shape).toArray(Shape[]::new),
                forms);
    }

    /** The smallest layout that every one of these rows fits into, axis by axis; they agree in dtypes and axes. */
    static Layout around(long index, List<List<Tensor>> rows, Memory memory) {
        Layout first = of(index, rows.get(0), memory);
        Shape[] shapes = first.shapes.clone();
        for (List<Tensor> row : rows) {
            for (int field = 0; field < shapes.length; field++) {
                shapes[field] = larger(shapes[field], row.get(field).shape());
            }
        }
        return new Layout(first.dtypes, shapes, first.forms);
    }

    private static Shape larger(Shape a, Shape b) {
        if (a.equals(b)) {
            return a;
        }
        long[] dims = a.toArray();
        for (int axis = 0; axis < dims.length; axis++) {
            dims[axis] = Math.max(dims[axis], b.dim(axis));
        }
        return Shape.of(dims);
    }

    boolean has(int field, Tensor tensor) {
        return dtypes[field] == tensor.dtype() && shapes[field].equals(tensor.shape());
    }

    boolean has(List<Tensor> row) {
        for (int field = 0; field < shapes.length; field++) {
            if (!has(field, row.get(field))) {
                return false;
            }
        }
        return shapes.length == row.size();
    }

    int fields() {
        return shapes.length;
    }

    Shape shape(int field) {
        return shapes[field];
    }

    long rowBytes(int field) {
        return rowBytes[field];
    }

    Tensor stacked(int field, ByteBuffer buffer, int rows) {
        return Tensor.of(
                forms[field].dtype(dtypes[field]),
                forms[field].shape(shapes[field]).prepend(rows),
                rows == 0 ? NOTHING : buffer.slice(0, Math.toIntExact(rows * rowBytes[field])));
    }

    String describe(int field) {
        return dtypes[field].toString() + shapes[field];
    }

    IllegalArgumentException mismatch(String name, int field, long first, long index, Tensor tensor) {
        String remedy;
        if (dtypes[field] != tensor.dtype()) {
            remedy = "map to one dtype before batching";
        } else if (shapes[field].rank() != tensor.shape().rank()) {
            remedy = "map to one number of axes before batching";
        } else if (dtypes[field] == DType.U8 && shapes[field].rank() == 1) {
            remedy = "pad texts with padShapes(), or give a column of numbers its type by TableOptions.type";
        } else {
            remedy = "bring them to one shape before batching, images with Resize, or pad with padShapes()";
        }
        return new IllegalArgumentException("cannot batch field \"%s\": sample %d is %s, sample %d is %s; %s"
                .formatted(name, first, describe(field), index, tensor.type(), remedy));
    }
}
