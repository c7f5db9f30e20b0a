package io.penstock.serve;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The batches that one consumer has in shared memory, in order, until it gives them back or is gone. Thread-safe. */
final class LentBatches {

    private final Object lock = new Object();
    private final Deque<Loan> out = new ArrayDeque<>();
    private long given;
    private boolean closed;

    private record Loan(Delivery delivery, String message) {}

    long given() {
        synchronized (lock) {
            return given;
        }
    }

    long returned() {
        synchronized (lock) {
            return given - out.size();
        }
    }

    /**
     * Takes back the first {@code done} batches; returns how many are still lent.
     * @throws Request.Refused if more were done than given
     */
    int giveBack(long done) {
        List<Loan> back = new ArrayList<>();
        int left;
        synchronized (lock) {
            if (done > given) {
                throw neverGiven(given, done);
            }
            while (given - out.size() < done) {
                back.add(out.remove());
            }
            left = out.size();
        }
        back.forEach(loan -> loan.delivery.release());
        return left;
    }

    /** The answer to a consumer that has done with more batches than it got. */
    static Request.Refused neverGiven(long given, long done) {
        return new Request.Refused(
                HttpResponseStatus.BAD_REQUEST,
                "done must be at most the %d batches given, was %d".formatted(given, done));
    }

    /** The answer to a consumer that has all the batches there are. */
    static Request.Refused tooMany() {
        return new Request.Refused(
                HttpResponseStatus.CONFLICT,
                "%d batches are out, which is all that there are: give one back with done=N".formatted(Hub.DEPTH));
    }

    /** Lends the next batch, one at a time; false if the consumer is gone. */
    boolean lend(Delivery delivery, String message) {
        synchronized (lock) {
            if (!closed) {
                out.add(new Loan(delivery, message));
                given++;
            }
            return !closed;
        }
    }

    /** The message of a batch that is lent; else null. */
    @Nullable String message(long number) {
        synchronized (lock) {
            long place = number - (given - out.size());
            return place < 0 || place >= out.size()
                    ? null
                    : out.stream().skip(place).findFirst().orElseThrow().message;
        }
    }

    void close() {
        List<Loan> back;
        synchronized (lock) {
            closed = true;
            back = List.copyOf(out);
            out.clear();
        }
        back.forEach(loan -> loan.delivery.release());
    }
}
