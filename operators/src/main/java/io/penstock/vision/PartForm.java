package io.penstock.vision;

import io.penstock.tensor.Tensor;

/** Checks what parts are made of. */
final class PartForm {

    private PartForm() {}

    static void require(boolean right, String what, String wanted, Tensor tensor) {
        if (!right) {
            throw new IllegalArgumentException("%s must be %s, was %s".formatted(what, wanted, tensor.type()));
        }
    }
}
