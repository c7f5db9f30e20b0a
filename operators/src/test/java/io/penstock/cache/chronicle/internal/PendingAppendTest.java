package io.penstock.cache.chronicle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PendingAppendTest {

    /** Or what waits would hold fast many times the bytes that it is counted for. */
    @Test
    void value_rowOfSomethingLarge_isCopiedOutOfIt() {
        byte[] chunk = new byte[100_000];
        Schema<Tensor> schema = Schema.tensor("row");
        Encoded row = schema.encode(Tensor.ofBytes(chunk, 10, 10_000).row(3));

        PendingAppend waiting = PendingAppend.value(SampleKey.of("x"), row, Provenance.UNKNOWN);
        chunk[30_000] = 7; // which nobody may do, and shows where the bytes are

        ByteBuffer view = waiting.view();
        assertThat(schema.decode(view).longAt(0)).isZero();
    }
}
