package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Garbage;
import io.penstock.bench.ProcessorTime;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.fault.StoreException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Records of a TFRecord file in the page cache, from opening it with its index to a direct buffer, in order, against a
 * bare reader on one thread, which reads the file from its beginning to its end and compares both checksums. It gives
 * each record an array of its own; a loop that fills one array again and again is shown beside it.
 */
public final class TfRecordRows implements Benchmark {

    private static final double MUST_REACH = 90;
    private static final int BATCH = 64;
    private static final int HEAD = Long.BYTES + Integer.BYTES;
    private static final int BUFFER = 1 << 20;

    /** Both are to be compiled, as they are after the first seconds of a job. */
    private static final int WARM_UP = 15;

    @Override
    public String name() {
        return "tfrecord";
    }

    @Override
    public List<String> flags() {
        return Garbage.FLAGS;
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Result> results = new ArrayList<>();
        results.addAll(measure(options.choose(2_000, 600), 150_528, options));
        results.addAll(measure(options.choose(10_000, 3_000), 28_000, options));
        results.addAll(measure(options.choose(100_000, 30_000), 1024, options));
        return results;
    }

    private List<Result> measure(int records, int bytes, BenchOptions options) {
        String what = "%,d records of %,d B".formatted(records, bytes);
        return ScratchFolder.with(folder -> {
            Path file = folder.resolve("made.tfrecord");
            write(file, records, bytes);
            Rounds rounds = options.rounds(
                    "tfrecord: " + what,
                    WARM_UP,
                    options.choose(9, 5),
                    List.of(
                            () -> streamSeconds(file, folder, bytes),
                            () -> readerSeconds(file, records, bytes),
                            () -> bareSeconds(file, records, bytes)));
            Rounds busy = options.rounds(
                    "tfrecord: processor time, " + what,
                    1,
                    options.choose(9, 5),
                    List.of(
                            () -> ProcessorTime.seconds(() -> streamSeconds(file, folder, bytes)),
                            () -> ProcessorTime.seconds(() -> readerSeconds(file, records, bytes))));
            double all = (double) records * bytes;
            return List.of(
                    Result.of(what + ": pipeline", all / rounds.median(0) / 1e9, "GB/s"),
                    Result.of(what + ": bare reader", all / rounds.median(1) / 1e9, "GB/s"),
                    Result.of(what + ": bare loop into one array", all / rounds.median(2) / 1e9, "GB/s"),
                    Result.of(what + ": of the bare reader", 100 * rounds.medianRatio(1, 0), "%")
                            .atLeast(0, MUST_REACH),
                    Result.of(what + ": of the bare loop", 100 * rounds.medianRatio(2, 0), "%"),
                    Result.of(what + ": processor time of the bare reader's", busy.medianRatio(0, 1), "×"));
        });
    }

    private static void write(Path file, int records, int bytes) throws IOException {
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
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xA282EAD8;
    }

    private static double streamSeconds(Path file, Path folder, int bytes) {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * bytes);
        int[] count = {0};
        long started = System.nanoTime();
        try (TfRecords records = TfRecords.open(file, folder.resolve("index"))) {
            records.stream(Sampler.sequential())
                    .doOnNext(sample -> sample.value().copyTo(batch, count[0]++ % BATCH * bytes))
                    .blockLast();
        }
        return (System.nanoTime() - started) / 1e9;
    }

    /** Each record has an array of its own, which its consumer may keep. */
    private static double readerSeconds(Path file, int records, int bytes) {
        return bareSeconds(file, records, bytes, () -> new byte[HEAD + bytes + Integer.BYTES]);
    }

    private static double bareSeconds(Path file, int records, int bytes) {
        byte[] frame = new byte[HEAD + bytes + Integer.BYTES];
        return bareSeconds(file, records, bytes, () -> frame);
    }

    private static double bareSeconds(Path file, int records, int bytes, Supplier<byte[]> frames) {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * bytes);
        long started = System.nanoTime();
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
        } catch (IOException e) {
            throw new StoreException("cannot read a benchmark's data: " + e.getMessage(), e);
        }
        return (System.nanoTime() - started) / 1e9;
    }
}
