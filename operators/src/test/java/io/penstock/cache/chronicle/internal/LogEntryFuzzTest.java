package io.penstock.cache.chronicle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.provider.MethodSource;

/** Segments of a log that hold anything. */
class LogEntryFuzzTest {

    private static final SampleKey KEY = SampleKey.of("fuzz");

    /** At whatever position: a value lies within the file, or there is none. */
    @MethodSource("segments")
    @FuzzTest(maxDuration = "10m")
    void entry_ofAnyBytes_liesWithinTheFileOrIsNone(byte[] segment) {
        ByteBuffer file = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
        for (long valueAt = -LogEntry.ALIGNMENT; valueAt <= segment.length + LogEntry.ALIGNMENT; valueAt++) {
            if (LogEntry.kind(file, valueAt) != 0) {
                assertThat(LogEntry.length(file, valueAt)).isBetween(0, (int) (segment.length - valueAt));
                assertThat(LogEntry.key(file, valueAt)).isNotNull();
                assertThat(LogEntry.provenance(file, valueAt)).isNotNull();
            }
            int length = LogEntry.lengthOf(KEY, file, valueAt);
            if (length >= 0) {
                ByteBuffer value = file.slice((int) valueAt, length);
                assertThat(LogEntry.matches(KEY, value, file, valueAt)).isIn(true, false);
            }
        }
    }

    static Stream<byte[]> segments() {
        ByteBuffer value = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5});
        ByteBuffer file = ByteBuffer.allocate(160);
        CRC32C sum = LogEntry.checkOf(KEY);
        sum.update(value.duplicate());
        int check = (int) sum.getValue();
        file.put(
                64,
                LogEntry.header(LogEntry.VALUE, KEY, 7, 5, check, Provenance.UNKNOWN, 64 + LogEntry.HEADER),
                0,
                LogEntry.HEADER);
        file.put(64 + LogEntry.HEADER, value, 0, 5);
        return Stream.of(file.array());
    }
}
