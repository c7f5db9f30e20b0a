package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ConcurrencyLimiterTest {

    @Test
    void limit_whenTheServerIsBusy_isHalvedAndGrowsAgain() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(8, Runnable::run);
        List<Sinks.Empty<Void>> started = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            limiter.limit(Mono.<Void>defer(() -> {
                        Sinks.Empty<Void> end = Sinks.empty();
                        started.add(end);
                        return end.asMono();
                    }))
                    .subscribe(none -> {}, busy -> {});
        }
        assertThat(started).hasSize(8);

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
}
