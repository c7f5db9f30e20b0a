package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BareLoopTest {

    @Test
    void loop_overOneBuffer_copiesEverySampleOfTheOrder() {
        MeasuredEpoch epoch = new MeasuredEpoch(5, 16, 2);
        BareLoop loop = BareLoop.overOneBuffer(epoch);

        loop.seconds(new int[] {4, 1, 3, 0});

        assertThat(loop.row(0)).isEqualTo(bytes(record(epoch, 3)));
        assertThat(loop.row(1)).isEqualTo(bytes(record(epoch, 0)));
    }

    @Test
    void loop_overViews_copiesWhatLiesBehindTheirHeaders() {
        MeasuredEpoch epoch = new MeasuredEpoch(3, 16, 2);
        ByteBuffer[] views = new ByteBuffer[3];
        for (int i = 0; i < views.length; i++) {
            views[i] = ByteBuffer.allocateDirect(7 + 16);
            record(epoch, i).copyTo(views[i], 7);
        }
        BareLoop loop = BareLoop.overViews(views, epoch);

        loop.seconds(new int[] {0, 2});

        assertThat(loop.row(0)).isEqualTo(bytes(record(epoch, 0)));
        assertThat(loop.row(1)).isEqualTo(bytes(record(epoch, 2)));
    }

    private static Tensor record(MeasuredEpoch epoch, long index) {
        return epoch.records().get(index).blockOptional().orElseThrow();
    }

    private static byte[] bytes(Tensor tensor) {
        return tensor.toByteArray();
    }
}
