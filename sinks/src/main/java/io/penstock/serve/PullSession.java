package io.penstock.serve;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A consumer that asks for each of its batches. */
final class PullSession implements SharedSession {

    private final Cursor cursor;
    private final BatchManifest announcements;
    private final LentBatches loans = new LentBatches();

    PullSession(Cursor cursor, Function<Delivery, String> token) {
        this.cursor = cursor;
        this.announcements = new BatchManifest(token);
    }

    @Override
    public int rank() {
        return cursor.rank();
    }

    @Override
    public Mono<String> next(Request asked) {
        int left = loans.giveBack(asked.done());
        if (left >= Hub.DEPTH) {
            throw LentBatches.tooMany();
        }
        return cursor.next().map(this::lend);
    }

    private String lend(Delivery delivery) {
        boolean lent = false;
        try {
            String message = announcements.of(delivery, cursor.rank(), loans.given(), "");
            lent = loans.lend(delivery, message);
            if (!lent) {
                throw new Request.Refused(HttpResponseStatus.SERVICE_UNAVAILABLE, "the connection is closed");
            }
            return message;
        } finally {
            if (!lent) {
                delivery.release();
            }
        }
    }

    @Override
    public void close() {
        loans.close();
        cursor.close();
    }
}
