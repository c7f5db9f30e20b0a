package io.penstock.programs;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.batch.Commits;
import io.penstock.pipeline.Samples;
import io.penstock.stream.ShuffleBuffer;
import io.penstock.tensor.Schema;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Trains on a log without end, and goes on where it was killed. Training appends a line a batch to a file. */
public final class EndlessTrainer {

    static final long SEED = 42;
    static final int SHUFFLED = 50;
    static final int BATCH = 16;

    private EndlessTrainer() {}

    /** A line of the log, and the offset behind it. */
    record Line(String text, long end) {

        Row parsed() {
            return new Row(Long.parseLong(text), 0);
        }
    }

    /** A parsed line, and what its augmentation drew. */
    record Row(long id, long dice) {}

    /** Arguments: the broker's port, the file. */
    public static void main(String[] arguments) throws IOException {
        Path trained = Path.of(arguments[1]);
        try (Log reader = Log.at(Integer.parseInt(arguments[0]));
                Log writer = Log.at(Integer.parseInt(arguments[0]))) {
            LogBroker.Committed saved = reader.committed();
            ShuffleBuffer<Line> shuffle = ShuffleBuffer.<Line>of(SHUFFLED, SEED).resumeAt(saved.number());
            Commits<Long> commits = Commits.at(saved.offset(), shuffle, writer::commit);

            reader.lines(saved.offset())
                    .subscribeOn(Schedulers.boundedElastic())
                    .transform(commits.offsets(Line::end))
                    .transform(shuffle)
                    .transform(Samples.numbered(SEED, saved.number()))
                    .transform(Samples.map("parse", Line::parsed))
                    .transform(Samples.augment("dice", (row, random) -> new Row(row.id(), random.nextInt(1_000))))
                    .transform(Batches.of(BATCH, Schema.of(Row.class)))
                    .transform(commits.onClose())
                    .doOnNext(batch -> {
                        train(trained, batch);
                        batch.close();
                    })
                    .blockLast();
        }
    }

    /** Appends the number behind the batch and its rows: {@code 32 17:301 4:998 …}. */
    private static void train(Path trained, Batch batch) {
        StringJoiner line = new StringJoiner(" ", batch.next().offset() + " ", "\n");
        for (int row = 0; row < batch.size(); row++) {
            line.add(batch.tensor("id").longAt(row) + ":" + batch.tensor("dice").longAt(row));
        }
        try {
            Files.writeString(trained, line.toString(), CREATE, APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection to the broker, for one thread at a time. */
    record Log(Socket socket, DataInputStream in, DataOutputStream out) implements AutoCloseable {

        static Log at(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            return new Log(
                    socket,
                    new DataInputStream(socket.getInputStream()),
                    new DataOutputStream(socket.getOutputStream()));
        }

        /** The lines from an offset on, one request each. Blocks. */
        Flux<Line> lines(long offset) {
            return Flux.generate(() -> offset, (at, sink) -> {
                try {
                    out.write(LogBroker.FETCH);
                    out.writeLong(at);
                    Line line = new Line(in.readUTF(), in.readLong());
                    sink.next(line);
                    return line.end();
                } catch (IOException e) {
                    sink.error(e);
                    return at;
                }
            });
        }

        LogBroker.Committed committed() throws IOException {
            out.write(LogBroker.COMMITTED);
            return new LogBroker.Committed(in.readLong(), in.readLong());
        }

        void commit(long offset, long number) {
            try {
                out.write(LogBroker.COMMIT);
                out.writeLong(offset);
                out.writeLong(number);
                in.readByte(); // the broker has it
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
