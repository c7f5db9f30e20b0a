package io.penstock.zarr.internal.codec;

import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;

/** A filter over numbers where v3 has it: before elements become bytes. */
public record Elementwise(NumberFilter filter) implements ArrayToArray {

    @Override
    public String name() {
        return filter.name();
    }

    @Override
    public Shape encodedShape(Shape decoded) {
        return decoded;
    }

    @Override
    public ElementType encodedType(ElementType decoded) {
        return decoded.storedAs(filter.stored());
    }

    @Override
    public Cells decode(Cells encoded, Shape decodedShape) {
        Cells.Fixed numbers = (Cells.Fixed) encoded;
        int bytes = (int) decodedShape.elements() * filter.decoded().bytes();
        return new Cells.Fixed(
                filter.decode(numbers.bytes(), bytes), filter.decoded().bytes());
    }
}
