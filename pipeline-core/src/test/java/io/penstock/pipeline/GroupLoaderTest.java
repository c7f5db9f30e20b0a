package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class GroupLoaderTest {

    private static final int GROUP = 8;

    /** The indices as samples; counts what is asked for. */
    private static class Numbers implements Dataset<Long>, GroupLoader<Long> {

        final List<long[]> groups = Collections.synchronizedList(new ArrayList<>());
        final AtomicInteger singles = new AtomicInteger();
        final AtomicInteger cancelled = new AtomicInteger();
        final List<Long> wanted = Collections.synchronizedList(new ArrayList<>());
        final Mono<Void> until;
        final long broken;

        Numbers(Mono<Void> until, long broken) {
            this.until = until;
            this.broken = broken;
        }

        Numbers() {
            this(Mono.empty(), -1);
        }

        @Override
        public long size() {
            return 100;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers");
        }

        @Override
        public Mono<Long> get(long index) {
            singles.incrementAndGet();
            return until.then(index == broken ? Mono.error(new FormatException("broken")) : Mono.just(index));
        }

        @Override
        public int groupSize() {
            return GROUP;
        }

        @Override
        public Mono<Void> getAll(long[] indices, Receiver<Long> receiver) {
            groups.add(indices);
            return until.then(Mono.<Void>fromRunnable(() -> {
                        for (int place = indices.length - 1; place >= 0; place--) {
                            if (receiver.wants(place)) {
                                wanted.add(indices[place]);
                            }
                            if (indices[place] == broken) {
                                receiver.failure(place, new FormatException("broken"));
                            } else {
                                receiver.value(place, indices[place]);
                            }
                        }
                    }))
                    .doOnCancel(cancelled::incrementAndGet);
        }
    }

    private static <T> List<T> drawn(Dataset<T> dataset, Sampler sampler) {
        return dataset.stream(sampler)
                .filter(Sample::isPresent)
                .map(sample -> sample.value())
                .collectList()
                .block();
    }

    @Test
    void stream_ofGroups_deliversInDrawOrderAndLoadsGroups() {
        Numbers numbers = new Numbers();
        List<Long> alone = drawn(Dataset.wrapping(numbers, Mono::just), Sampler.shuffled(7));

        List<Long> values = drawn(numbers, Sampler.shuffled(7));

        assertThat(values).isEqualTo(alone);
        assertThat(numbers.groups).allSatisfy(group -> assertThat(group).hasSizeLessThanOrEqualTo(GROUP));
        assertThat(numbers.groups).hasSizeLessThan(2 * 100 / GROUP); // a busy machine begins some that are not full
        assertThat(numbers.singles).hasValueLessThan(GROUP);
    }

    @Test
    void stream_withLittleDemand_keepsWholeGroupsInFlight() {
        Sinks.Empty<Void> gate = Sinks.empty();
        Numbers numbers = new Numbers(gate.asMono(), -1);

        StepVerifier.create(
                        numbers.stream(
                                Sampler.sequential(),
                                Execution.standard().inFlight(3).workers(Schedulers.immediate(), 1)),
                        1)
                .then(() -> {
                    long begun = numbers.singles.get()
                            + numbers.groups.stream()
                                    .mapToLong(group -> group.length)
                                    .sum();
                    assertThat(begun).isBetween(2L * GROUP, 3L * GROUP);
                })
                .then(gate::tryEmitEmpty)
                .expectNextCount(1)
                .thenCancel()
                .verify();
    }

    @Test
    void stream_cancelled_cancelsTheGroups() {
        Numbers numbers = new Numbers(Mono.never(), -1);

        StepVerifier.create(numbers.stream(
                        Sampler.sequential(), Execution.standard().inFlight(2)))
                .expectSubscription()
                .thenCancel()
                .verify();

        assertThat(numbers.cancelled).hasValue(numbers.groups.size());
    }

    @Test
    void stream_oneSampleFails_failsAloneUnderAPolicy() {
        Numbers numbers = new Numbers(Mono.empty(), 42);
        Dataset<Long> mapped = numbers.map("same", value -> value);

        List<Long> values = mapped.onError(ErrorPolicy.skip().budget(1)).stream(Sampler.sequential())
                .filter(Sample::isPresent)
                .map(Sample::value)
                .collectList()
                .block();

        assertThat(values).hasSize(99).doesNotContain(42L);
        assertThatThrownBy(() -> drawn(mapped, Sampler.sequential()))
                .isInstanceOf(SampleException.class)
                .hasMessageContaining("load")
                .hasMessageContaining("42");
    }

    @Test
    void stream_ofGroupLoaderThatForgetsOne_fails() {
        Numbers numbers = new Numbers() {
            @Override
            public Mono<Void> getAll(long[] indices, Receiver<Long> receiver) {
                receiver.value(0, indices[0]);
                return Mono.empty();
            }
        };

        assertThatThrownBy(() -> drawn(numbers, Sampler.sequential())).hasMessageContaining("neither a value");
    }

    @Test
    void stream_throughACache_loadsItsMissesInGroups() {
        Numbers numbers = new Numbers();
        FakeTier tier = new FakeTier("ram");
        Dataset<Tensor> cached =
                numbers.map("tensor", value -> Tensor.scalar(value)).cache(tier, Schema.tensor("value"));

        List<Tensor> first = drawn(cached, Sampler.shuffled(1));
        int groups = numbers.groups.size();
        List<Tensor> second = drawn(cached, Sampler.shuffled(1));

        assertThat(second).isEqualTo(first).hasSize(100);
        assertThat(groups).isLessThanOrEqualTo(2 * 100 / GROUP); // the first are smaller, while the window grows
        assertThat(numbers.groups).hasSize(groups);
        assertThat(cached.statistics().loads()).isEqualTo(100);
    }

    @Test
    void stream_ofSelectedSamples_loadsAnIndexTwiceInOneGroup() {
        Numbers numbers = new Numbers();
        long[] indices = LongStream.range(0, 32).map(i -> i / 2).toArray();

        List<Long> values = drawn(numbers.select(indices), Sampler.sequential());

        assertThat(values).isEqualTo(Arrays.stream(indices).boxed().toList());
    }

    @Test
    void wrapping_ofGroups_callsTheWrapperForEachSample() {
        AtomicInteger calls = new AtomicInteger();
        Numbers numbers = new Numbers();

        drawn(
                Dataset.wrapping(numbers, index -> {
                    calls.incrementAndGet();
                    return numbers.get(index);
                }),
                Sampler.sequential());

        assertThat(calls).hasValue(100);
    }
}
