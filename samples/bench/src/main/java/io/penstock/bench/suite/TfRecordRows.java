package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
import io.penstock.internal.Crc32c;
import io.penstock.order.Sampler;
import io.penstock.shard.TfRecords;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Records of a TFRecord file in the page cache, from opening it with its index to a direct buffer, in order, against a
 * bare reader on one thread, which reads the file from its beginning to its end and compares both checksums. It gives
 * each record an array of its own; a loop that fills one array again and again is shown beside it.
 */
public final class TfRecordRows {

    private static final double MUST_REACH = 90;
    private static final int BATCH = 64;
    private static final int HEAD = Long.BYTES + Integer.BYTES;
    private static final int BUFFER = 1 << 20;

    /** Both are to be compiled, as they are after the first seconds of a job. */
    private static final int WARM_UP = 15;

    private TfRecordRows() {}

    public static void run(Bench bench) {
        measure(bench.choose(2_000, 600), 150_528, bench);
        measure(bench.choose(10_000, 3_000), 28_000, bench);
        measure(bench.choose(100_000, 30_000), 1024, bench);
    }

    private static void measure(int records, int bytes, Bench bench) {
        String what = "%,d records of %,d B".formatted(records, bytes);
        ScratchFolder.with(folder -> {
            Path file = folder.resolve("made.tfrecord");
            write(file, records, bytes);
            byte[] frame = new byte[HEAD + bytes + Integer.BYTES];
            Seconds.Work stream = () -> stream(file, folder, bytes);
            Seconds.Work reader = () -> read(file, records, bytes, () -> new byte[frame.length]);
            Seconds.Work loop = () -> read(file, records, bytes, () -> frame);
            Rounds rounds = bench.rounds(
                    "tfrecord: " + what,
                    WARM_UP,
                    bench.choose(9, 5),
                    List.of(() -> Seconds.of(stream), () -> Seconds.of(reader), () -> Seconds.of(loop)));
            Rounds busy = bench.rounds(
                    "tfrecord: processor time, " + what,
                    1,
                    bench.choose(9, 5),
                    List.of(() -> Seconds.ofProcessor(stream), () -> Seconds.ofProcessor(reader)));
            double gigabytes = records * 1e-9 * bytes;
            bench.found(what + ": pipeline", gigabytes / rounds.median(0), "GB/s");
            bench.found(what + ": bare reader", gigabytes / rounds.median(1), "GB/s");
            bench.found(what + ": bare loop into one array", gigabytes / rounds.median(2), "GB/s");
            bench.atLeast(MUST_REACH, what + ": of the bare reader", 100 * rounds.medianRatio(1, 0), "%");
            bench.found(what + ": of the bare loop", 100 * rounds.medianRatio(2, 0), "%");
            bench.found(what + ": processor time of the bare reader's", busy.medianRatio(0, 1), "×");
        });
    }

    static void write(Path file, int records, int bytes) throws IOException {
        byte[] payload = new byte[bytes];
        ByteBuffer frame = ByteBuffer.allocate(HEAD + bytes + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Random random = new Random(1);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            for (int i = 0; i < records; i++) {
                random.nextBytes(payload);
                frame.clear().putLong(bytes);
                frame.putInt(masked(frame.array(), 0, Long.BYTES)).put(payload);
                frame.putInt(masked(payload, 0, bytes));
                out.write(frame.array());
            }
        }
    }

    private static int masked(byte[] bytes, int offset, int length) {
        return Integer.rotateRight(Crc32c.of(bytes, offset, length), 15) + 0xA282EAD8;
    }

    private static void stream(Path file, Path folder, int bytes) {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * bytes);
        int[] count = {0};
        try (TfRecords records = TfRecords.open(file, folder.resolve("index"))) {
            records.stream(Sampler.sequential())
                    .doOnNext(sample -> sample.value().copyTo(batch, count[0]++ % BATCH * bytes))
                    .blockLast();
        }
    }

    private static void read(Path file, int records, int bytes, Supplier<byte[]> frames) throws IOException {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * bytes);
        try (InputStream plain = Files.newInputStream(file);
                DataInputStream buffered = new DataInputStream(new BufferedInputStream(plain, BUFFER))) {
            for (int i = 0; i < records; i++) {
                byte[] frame = frames.get();
                ByteBuffer in = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
                buffered.readFully(frame, 0, HEAD);
                int length = (int) in.getLong(0);
                buffered.readFully(frame, HEAD, length + Integer.BYTES);
                if (in.getInt(Long.BYTES) != masked(frame, 0, Long.BYTES)
                        || in.getInt(HEAD + length) != masked(frame, HEAD, length)) {
                    throw new IllegalStateException("record %d is damaged".formatted(i));
                }
                batch.put(i % BATCH * bytes, frame, HEAD, length);
            }
        }
    }
}
