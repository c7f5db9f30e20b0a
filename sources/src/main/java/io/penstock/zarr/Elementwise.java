package io.penstock.zarr;

import io.penstock.tensor.Shape;

/** A filter over numbers where v3 has it: before elements become bytes. */
record Elementwise(NumberFilter filter) implements ArrayToArray {

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
