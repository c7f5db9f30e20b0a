package io.penstock.cache.chronicle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Room that was claimed and is not needed in the end. */
class ClaimsTest {

    private static final int SEGMENT = 1 << 20;
    private static final int ENTRY = 900 << 10;

    @TempDir
    Path folder;

    @Test
    void begin_behindASegmentOfWhichNothingIsWritten_givesItsRoomBack() throws IOException {
        SharedCounters counters = SharedCounters.map(folder.resolve("control"));
        Claims claims = new Claims(counters);
        claims.limit(64L << 20, SEGMENT);
        Claims.Claim first = Objects.requireNonNull(claims.claim(ENTRY));
        Claims.Claim second = Objects.requireNonNull(claims.claim(ENTRY));
        claims.release(first, ENTRY); // its value was removed before it was written

        claims.begin(second);

        assertThat(counters.used()).isEqualTo(SEGMENT + LogWriter.LOG_BYTES);
        claims.end(second, 0);
        assertThat(counters.used()).isEqualTo(LogWriter.LOG_BYTES);
    }
}
