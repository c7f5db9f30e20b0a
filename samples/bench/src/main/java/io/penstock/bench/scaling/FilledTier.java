package io.penstock.bench.scaling;

import io.penstock.bench.ChildProcess;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.cache.redis.NodeServer;
import io.penstock.cache.redis.RedisTier;
import io.penstock.cache.slot.SharedSlots;
import io.penstock.cache.slot.SlotLayout;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A tier that holds a whole data set.
 *
 * @param name   of its kind
 * @param tier   that holds it
 * @param codec  of what it holds
 * @param slots  to close as well
 */
record FilledTier(String name, Tier tier, Codec<Tensor> codec, List<SharedSlots> slots) implements AutoCloseable {

    static final String RAM = "RAM";
    static final String SHARED = "shared memory";
    static final String DISK = "disk";
    static final String REDIS = "Redis";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long OVERHEAD = 512; // max of the headers and the index of a sample
    private static final long SPARE = 64L << 20;

    /** The kinds that can be opened here: Redis if a server is on the path. */
    static List<String> kinds() {
        return ChildProcess.hasRedis() ? List.of(RAM, SHARED, DISK, REDIS) : List.of(RAM, SHARED, DISK);
    }

    /** Opens an empty tier in a folder of its own and fills it. */
    static FilledTier filled(String kind, Path folder, Dataset<Tensor> samples, int sampleBytes) {
        FilledTier filled = open(kind, folder, samples, sampleBytes);
        filled.over(samples).stream(Sampler.sequential()).blockLast();
        filled.settle();
        if (filled.tier.statistics().samples() != samples.size()) {
            throw new IllegalStateException("%s holds %d of %d samples"
                    .formatted(kind, filled.tier.statistics().samples(), samples.size()));
        }
        return filled;
    }

    private static FilledTier open(String kind, Path folder, Dataset<Tensor> samples, int sampleBytes) {
        long room = samples.size() * (sampleBytes + OVERHEAD) + SPARE;
        return switch (kind) {
            case RAM -> new FilledTier(kind, RamTier.ofBytes(room), TrainingStep.SCHEMA, List.of());
            case SHARED -> {
                SharedSlots slots = SharedSlots.open(folder, SlotLayout.ofBytes(samples.size(), sampleBytes));
                yield new FilledTier(kind, slots.tier(samples, slots.codec()), slots.codec(), List.of(slots));
            }
            case DISK ->
                new FilledTier(
                        kind, ChronicleTier.at(folder).maxBytes(2 * room).open(), TrainingStep.SCHEMA, List.of());
            case REDIS ->
                new FilledTier(
                        kind,
                        RedisTier.in(NodeServer.ofBytes(2 * room).directory(folder))
                                .timeout(TIMEOUT)
                                .open(),
                        TrainingStep.SCHEMA,
                        List.of());
            default -> throw new IllegalArgumentException("there is no tier " + kind);
        };
    }

    Dataset<Tensor> over(Dataset<Tensor> samples) {
        return samples.cache(tier, codec);
    }

    private void settle() {
        if (tier instanceof ChronicleTier disk) {
            disk.flush().block();
        }
        if (tier instanceof RedisTier redis) {
            redis.flush().block();
        }
    }

    @Override
    public void close() {
        tier.close();
        slots.forEach(SharedSlots::close);
    }
}
