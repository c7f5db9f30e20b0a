package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

class ConcurrencyLimiterTest {

    private final List<Sinks.Empty<Void>> started = new ArrayList<>();
    private final List<ContextView> contexts = new ArrayList<>();

    /** Twenty that want to run; eight may. */
    @BeforeEach
    void start() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(8, Runnable::run);
        for (int i = 0; i < 20; i++) {
            limiter.limit(Mono.<Void>deferContextual(context -> {
                        Sinks.Empty<Void> end = Sinks.empty();
                        started.add(end);
                        contexts.add(context);
                        return end.asMono();
                    }))
                    .subscribe(none -> {}, busy -> {});
        }
        assertThat(started).hasSize(8);
    }

    @Test
    void limit_whenTheServerIsBusy_isHalvedAndGrowsAgain() {

        started.get(0).tryEmitError(HttpFault.busy("answered 503", null, ""));
        started.get(1).tryEmitError(HttpFault.busy("answered 503", null, "")); // of the same round
        started.get(2).tryEmitEmpty();
        started.get(3).tryEmitEmpty();
        assertThat(started).hasSize(8); // four run

        started.get(4).tryEmitEmpty();
        assertThat(started).hasSize(9);
        started.get(5).tryEmitEmpty();
        assertThat(started).hasSize(11); // four in a row went well: five run
    }

    @Test
    void limit_ofASourceThatHasFoundTooMany_isHalvedOnceARound() {
        ConcurrencyLimiter.tooMany(contexts.get(0));
        ConcurrencyLimiter.tooMany(contexts.get(1));

        for (int i = 0; i < 4; i++) {
            started.get(i).tryEmitEmpty();
        }
        assertThat(started).hasSize(9); // four run, and four in a row went well
    }
}
