package io.penstock.hdf5;

import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.table.TableField;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.codec.PlainBytes;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/**
 * A field of the rows.
 *
 * @param offset where it lies in an element of the data set
 */
record Hdf5Field(String name, Hdf5Column column, int offset, Hdf5Element element) {

    Hdf5Field {
        if (element.isRagged() && column.rowShape().elements() != 1) {
            throw new FormatException(
                    "a row has %d texts or lists, each of a length of its own: only rows of one can be read"
                            .formatted(column.rowShape().elements()));
        }
    }

    /** The same by its whole path, where two data sets have one name. */
    Hdf5Field named() {
        String whole = column.path();
        return new Hdf5Field(whole.substring(0, whole.lastIndexOf('/') + 1) + name, column, offset, element);
    }

    TableField described() {
        return new TableField(name, element.dtype(), element.isRagged() ? 1 : shape().rank());
    }

    private Shape shape() {
        Shape shape = column.rowShape();
        Shape inner = element.inner();
        for (int i = shape.rank() - 1; i >= 0; i--) {
            inner = inner.prepend(shape.dim(i));
        }
        return inner;
    }

    /** The value of a row. */
    Mono<Tensor> get(long index, Hdf5Heaps heaps) {
        Mono<ByteBuffer> row = column.row(index);
        int bytes = element.dtype().bytes();
        return element.onHeap()
                ? row.flatMap(its -> heaps.object(its.slice(offset, element.width()), bytes))
                        .map(list -> Tensor.of(element.dtype(), Shape.of(list.remaining() / bytes), littleEndian(list)))
                : row.map(Thrown.function(this::value));
    }

    /** What the bytes of a row are, where the value lies in them. */
    Tensor value(ByteBuffer row) {
        int width = element.width();
        if (element.padding() != null) {
            ByteBuffer text = row.slice(offset, width);
            element.padding().setBufferLimit(text);
            return Tensor.of(element.dtype(), Shape.of(text.limit()), text);
        }
        ByteBuffer elements = row;
        if (width < column.width()) {
            elements = ByteBuffer.allocate((int) column.rowShape().elements() * width);
            for (int i = 0; i < elements.capacity() / width; i++) {
                elements.put(i * width, row, i * column.width() + offset, width);
            }
        }
        return Tensor.of(element.dtype(), shape(), littleEndian(elements));
    }

    private ByteBuffer littleEndian(ByteBuffer elements) {
        return element.bigEndian()
                ? PlainBytes.swapped(elements, element.dtype().bytes())
                : elements;
    }
}
