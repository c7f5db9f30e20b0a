package io.penstock.hdf5;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.store.internal.ChunkCache;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing blocks the threads that ask for rows, of chunks and of heaps. */
@Tag("blockhound")
class Hdf5BlockHoundTest {

    private static final int ROWS = 8;

    @TempDir
    private Path folder;

    @BeforeAll
    static void install() {
        Schedulers.shutdownNow(); // a worker parked in code from before would throw
        // held for a look into a map, as those inside the JDK's maps are
        BlockHound.install(builder -> builder.allowBlockingCallsInside(ChunkCache.class.getName(), "held")
                .allowBlockingCallsInside(ChunkCache.class.getName(), "hold"));
    }

    @Test
    void get_onWorkers_blocksNone() throws Exception {
        Path file = folder.resolve("samples.h5");
        try (InputStream in = Objects.requireNonNull(Hdf5BlockHoundTest.class.getResourceAsStream("samples.h5"))) {
            Files.copy(in, file);
        }

        for (int round = 0; round < 20; round++) {
            try (Hdf5Rows rows = Hdf5Rows.open(file, List.of())) {
                Mono<Long> all = Flux.range(0, 20 * ROWS)
                        .flatMap(i -> Mono.defer(() -> rows.get(i % ROWS)).subscribeOn(Schedulers.parallel()), 16)
                        .count();

                assertThat(all.block(Duration.ofMinutes(2))).isEqualTo(20L * ROWS);
            }
        }
    }
}
