package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.slot.SharedSlots;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.Codec;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import reactor.core.publisher.Mono;

/** Slots as a tier. They are of one size for a data set known beforehand, so each test gets those that it needs. */
class SlotTierTest extends TierKit {

    private static final Codec<Tensor> CODEC = Schema.tensor("value");

    private record Need(int slotBytes, List<SampleKey> keys) {}

    private Need need = new Need(1 << 17, oddKeys());

    @BeforeEach
    void know(TestInfo test) {
        need = switch (test.getTestMethod().orElseThrow().getName()) {
            case "get_afterPut_givesTheBytes" ->
                new Need(
                        10_000_000,
                        IntStream.of(9_999_999, 0, 1, 2, 7, 127, 128, 129, 1023, 16_383, 16_384, 150_533, 1 << 20)
                                .boxed()
                                .flatMap(length -> java.util.stream.Stream.of(key(length), key(length + 1L)))
                                .distinct()
                                .toList());
            case "put_intoAFullTier_isRefusedQuietly" -> new Need(100_000, keys(100));
            case "tier_fillsUpUnderManyThreads_neverLiesNorExceeds" -> new Need(20_000, keys(3_000));
            case "tier_putsAndGetsAtOnce_neverTearsNorLoses" -> new Need(100, keys(20_000));
            case "get_whileItIsBeingPut_givesAllOrNothing" -> new Need(30_000, keys(1_500));
            case "put_ofOneKeyByAllThreads_keepsOneValueWhole" -> new Need(1_100, keys(2_000));
            case "close_whileViewsAreHeld_leavesThemValid" -> new Need(10_000, keys(100));
            default -> new Need(1 << 17, oddKeys());
        };
    }

    private static List<SampleKey> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> key(i)).toList();
    }

    private static List<SampleKey> oddKeys() {
        List<SampleKey> keys = new ArrayList<>(keys(100));
        for (int i = 0; i < 100; i++) {
            keys.add(new SampleKey(i, 0));
            keys.add(new SampleKey(0, i));
            keys.add(new SampleKey(i, i));
        }
        return keys;
    }

    static Path directory() {
        Path shared = Path.of("/dev/shm");
        return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    @Override
    protected Tier open(long bytes) {
        long room = need.slotBytes > 1 << 20 ? Long.MAX_VALUE : bytes;
        Path file = directory().resolve("penstock-test-" + UUID.randomUUID());
        SharedSlots slots = SharedSlots.at(file).maxBytes(room).open(need.keys.size(), DType.U8, need.slotBytes);
        try {
            Files.delete(file); // what is open stays, and nothing is left behind
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Renamed(slots.tier(new Keyed(need.keys), CODEC));
    }

    private record Keyed(List<SampleKey> keys) implements Dataset<Tensor> {
        @Override
        public long size() {
            return keys.size();
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("keyed");
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(keys.get((int) index), () -> "#" + index, List::of);
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.error(new IllegalStateException("only its keys are wanted"));
        }
    }

    /** The kit's keys as those of encoded samples. */
    private static final class Renamed extends TierAround {

        Renamed(Tier tier) {
            super(tier);
        }

        @Override
        SampleKey inner(SampleKey key) {
            return key.with(Fingerprint.of(CODEC));
        }
    }

    @Test
    void name_ofSlots_isSlots() {
        try (Tier tier = open(AMPLE)) {
            assertThat(tier.name()).isEqualTo("slots");
        }
    }

    @Test
    void get_hitOrMiss_isAScalar() {
        try (Tier tier = open(AMPLE)) {
            put(tier, key(1), valueOf(1, 10));

            assertThat(tier.get(key(1))).isInstanceOf(Callable.class);
            assertThat(tier.get(key(2))).isInstanceOf(Callable.class);
            assertThat(tier.get(key(1)).block().isReadOnly()).isTrue();
        }
    }

    @Test
    void put_ofAKeyOfNoSample_isRefused() {
        try (Tier tier = open(AMPLE)) {
            assertThat(tier.accepts(key(1_000_000), Entry.UNKNOWN)).isFalse();
            assertThat(TierKit.put(tier, key(1_000_000), ByteBuffer.allocate(4)).block())
                    .isFalse();
            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void put_ofMoreThanASlotTakes_isAnErrorThatSaysSo() {
        try (Tier tier = open(AMPLE)) {
            Mono<Boolean> put = TierKit.put(tier, key(1), ByteBuffer.allocate((1 << 17) + 1));

            reactor.test.StepVerifier.create(put)
                    .verifyErrorMessage(
                            "a slot takes at most 131072 bytes, was 131073; open the slots for larger samples");
            assertThat(tier.statistics().errors()).isEqualTo(1);
            assertThat(get(tier, key(1))).isNull();
        }
    }
}
