package io.penstock.zarr;

import io.penstock.tensor.Shape;

/** Rearranges or re-encodes elements. */
sealed interface ArrayToArray extends ZarrCodec permits Transpose, Elementwise {

    Shape encodedShape(Shape decoded);

    ElementType encodedType(ElementType decoded);

    Cells decode(Cells encoded, Shape decodedShape);
}
