package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.SampleException;
import io.penstock.stream.Execution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Summaries of parts, kept by the state of the data. */
class SummariseTest {

    private static final int FILES = 10;
    private static final int ROWS = 10_000;

    @TempDir
    Path folder;

    /** Rows of files; a file has a version. Sample i has the value i. */
    private static final class Files10 implements Dataset<Long> {

        final Set<Long> loaded = ConcurrentHashMap.newKeySet();
        final int[] versions;

        Files10(int... versions) {
            this.versions = versions;
        }

        private List<String> state(long index) {
            int file = (int) (index / ROWS);
            return List.of("file" + file, "v" + versions[file]);
        }

        @Override
        public long size() {
            return (long) versions.length * ROWS;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of(Arrays.toString(versions));
        }

        @Override
        public Mono<Long> get(long index) {
            return Mono.fromSupplier(() -> {
                loaded.add(index);
                return index;
            });
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(
                    SampleKey.of(state(index).toArray(String[]::new)).with(index % ROWS),
                    () -> "row " + index,
                    () -> state(index));
        }
    }

    /** A hash that depends on the order of all samples and of the merges. */
    private static final Summary<Long, long[]> ORDER = new Summary<>() {
        @Override
        public long[] empty() {
            return new long[] {1, 0};
        }

        @Override
        public void add(long[] into, Long sample) {
            into[0] = into[0] * 31 + sample;
            into[1]++;
        }

        @Override
        public void merge(long[] into, long[] later) {
            into[0] = into[0] * 1_000_003 + later[0];
            into[1] += later[1];
        }

        @Override
        public byte[] write(long[] summary) {
            return ByteBuffer.allocate(16)
                    .putLong(summary[0])
                    .putLong(summary[1])
                    .array();
        }

        @Override
        public long[] read(byte[] bytes) {
            ByteBuffer kept = ByteBuffer.wrap(bytes);
            return new long[] {kept.getLong(), kept.getLong()};
        }
    };

    private static Files10 unchanged() {
        return new Files10(new int[FILES]);
    }

    private Indexing kept() {
        return Indexing.keptIn(folder.resolve("fit"));
    }

    private static long[] order(Dataset<Long> data, Indexing indexing) {
        long[] found = data.summarise("order", ORDER, indexing).block();
        assertThat(found).isNotNull();
        return found;
    }

    @Test
    void summary_anyParallelism_isTheSame() {
        long[] one =
                order(unchanged(), Indexing.inMemory().on(Execution.standard().inFlight(1)));

        assertThat(order(
                        unchanged(), Indexing.inMemory().on(Execution.standard().inFlight(64))))
                .containsExactly(one);
        assertThat(order(unchanged(), kept())).containsExactly(one);
        assertThat(one[1]).isEqualTo(FILES * ROWS);
    }

    @Test
    void summary_oneOfTenFilesChanged_loadsThatOneAlone() {
        order(unchanged(), kept());
        int[] versions = new int[FILES];
        versions[3] = 1;
        Files10 changed = new Files10(versions);

        long[] again = order(changed, kept());

        assertThat(changed.loaded).hasSize(ROWS).allMatch(index -> index / ROWS == 3);
        assertThat(again).containsExactly(order(new Files10(versions), Indexing.inMemory()));
    }

    @Test
    void summary_passCancelled_continuesWhereItWas() throws InterruptedException {
        CountDownLatch half = new CountDownLatch(1);
        Files10 first = unchanged();
        Dataset<Long> slow = Dataset.wrapping(first, index -> {
            if (index == FILES * ROWS / 2) {
                half.countDown();
                return Mono.never();
            }
            return first.get(index);
        });
        Disposable pass = slow.summarise("order", ORDER, kept())
                .subscribeOn(Schedulers.boundedElastic())
                .subscribe();
        assertThat(half.await(30, TimeUnit.SECONDS)).isTrue();
        pass.dispose();
        Files10 second = unchanged();

        long[] found = order(second, kept());

        assertThat(second.loaded).hasSizeLessThan(FILES * ROWS - 2 * ROWS).isNotEmpty();
        assertThat(found).containsExactly(order(unchanged(), Indexing.inMemory()));
    }

    @Test
    void summary_fileCut_readsWhatIsWholeAndLoadsTheRest() throws IOException {
        long[] whole = order(unchanged(), kept());
        try (var files = Files.list(folder.resolve("fit"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".summaries")).toList()) {
                try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() - 5);
                }
            }
        }
        Files10 again = unchanged();

        assertThat(order(again, kept())).containsExactly(whole);
        assertThat(again.loaded).isNotEmpty().allMatch(index -> index / ROWS == FILES - 1);
    }

    @Test
    void summary_sampleThatFails_endsThePassOrIsLeftOutAndReadAgain() {
        Files10 data = unchanged();
        Dataset<Long> broken = Dataset.wrapping(
                data, index -> index == 7 ? Mono.error(new IllegalStateException("broken")) : data.get(index));

        assertThatThrownBy(() -> order(broken, kept()))
                .isInstanceOf(SampleException.class)
                .hasMessageContaining("row 7");
        long[] without = order(broken, kept().onError(ErrorPolicy.skip()));
        data.loaded.clear();

        assertThat(without[1]).isEqualTo(FILES * ROWS - 1);
        assertThat(order(data, kept())[1]).isEqualTo(FILES * ROWS);
        assertThat(data.loaded).hasSize(8192);
    }

    @Test
    void summary_ofNothing_isEmpty() {
        assertThat(order(unchanged().slice(0, 0), kept())).containsExactly(1, 0);
    }
}
