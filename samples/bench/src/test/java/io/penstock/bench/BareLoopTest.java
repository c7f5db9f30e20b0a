package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BareLoopTest {

    @Test
    void loop_overOneBuffer_copiesEverySampleOfTheOrder() {
        MadeRecords records = new MadeRecords(5, 16);
        BareLoop loop = BareLoop.overOneBuffer(records, 16, 2);

        loop.seconds(new int[] {4, 1, 3, 0});

        assertThat(loop.row(0)).isEqualTo(bytes(records.at(3)));
        assertThat(loop.row(1)).isEqualTo(bytes(records.at(0)));
    }

    @Test
    void loop_overViews_copiesWhatLiesBehindTheirHeaders() {
        MadeRecords records = new MadeRecords(3, 16);
        ByteBuffer[] views = new ByteBuffer[3];
        for (int i = 0; i < views.length; i++) {
            views[i] = ByteBuffer.allocateDirect(7 + 16);
            records.at(i).copyTo(views[i], 7);
        }
        BareLoop loop = BareLoop.overViews(views, 16, 2);

        loop.seconds(new int[] {0, 2});

        assertThat(loop.row(0)).isEqualTo(bytes(records.at(0)));
        assertThat(loop.row(1)).isEqualTo(bytes(records.at(2)));
    }

    private static byte[] bytes(Tensor tensor) {
        return tensor.toByteArray();
    }
}
