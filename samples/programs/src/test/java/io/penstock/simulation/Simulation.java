package io.penstock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Cache;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Execution;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Runs one scenario to its end and checks what must hold in every run: nothing hangs, every batch is the expected one,
 * resuming repeats and skips nothing, what is cached loads once, and nothing is left open behind the end.
 */
final class Simulation {

    private static final int MAX_STEPS = 200_000;

    private final Scenario scenario;
    private final Dice dice;
    private final SimulatedScheduler scheduler;
    private final SimulatedPool pool;
    private final SimulatedSource source;
    private final @Nullable SimulatedTier shared;
    private final List<Pipeline<Item>> pipelines = new ArrayList<>();
    private final Map<Long, Map<Long, Integer>> delivered = new HashMap<>(); // by epoch and index

    Simulation(long seed) {
        this.scenario = Scenario.of(seed);
        this.dice = new Dice(~seed);
        this.scheduler = new SimulatedScheduler(dice, dice.oneOf(10L, 1_000L, 30_000L));
        this.pool = new SimulatedPool(scheduler);
        this.source = new SimulatedSource(scenario, scheduler, dice);
        this.shared = scenario.sharedSamples() == 0
                ? null
                : new SimulatedTier("shared", scenario, scheduler, dice, scenario.sharedSamples(), true);
        for (int process = 0; process < scenario.processes(); process++) {
            pipelines.add(pipeline(process));
        }
    }

    SimulatedScheduler scheduler() {
        return scheduler;
    }

    private Pipeline<Item> pipeline(int process) {
        Dataset<Item> loaded = source.map("first", item -> stage(Scenario.Place.BEFORE_CACHE, item, 1));
        Cache cache = cache(process);
        Dataset<Item> cached = cache == null ? loaded : loaded.cache(cache, new FaultyCodec());
        return cached.map("second", item -> stage(Scenario.Place.BEHIND_CACHE, item, 2))
                .augment(Item.DICE, (item, random) -> {
                    source.failWhere(Scenario.Place.DICE, item.index());
                    return item.rolled(random);
                })
                .onError(policy());
    }

    private Item stage(Scenario.Place place, Item item, int stage) {
        source.failWhere(place, item.index());
        return item.mapped(stage);
    }

    private @Nullable Cache cache(int process) {
        if (scenario.localSamples() == 0) {
            return shared == null ? null : Cache.of(shared);
        }
        SimulatedTier local =
                new SimulatedTier("local " + process, scenario, scheduler, dice, scenario.localSamples(), false);
        return shared == null ? Cache.of(local) : Cache.of(local, shared);
    }

    private ErrorPolicy policy() {
        return switch (scenario.policy()) {
            case FAIL -> ErrorPolicy.fail();
            case SKIP -> ErrorPolicy.skip();
            case SUBSTITUTE -> ErrorPolicy.substitute();
            case RETRY -> ErrorPolicy.fail().retry(2 * Scenario.FAILURES_BEFORE_SUCCESS, Duration.ZERO);
        };
    }

    /** The schema, with bytes that cannot be read now and then. */
    private final class FaultyCodec implements Codec<Item> {
        @Override
        public String id() {
            return Item.SCHEMA.id();
        }

        @Override
        public Encoded encode(Item value) {
            return Item.SCHEMA.encode(value);
        }

        @Override
        public Item decode(ByteBuffer bytes) {
            if (dice.chance(scenario.tierFaults())) {
                throw dice.oneOf(Fault.values()).raise();
            }
            return Item.SCHEMA.decode(bytes);
        }
    }

    /** @return the hash of all choices made */
    long run() {
        int world = scenario.world();
        List<ResumeToken> from = IntStream.range(0, world)
                .mapToObj(rank -> ResumeToken.of(pipelines.get(0), shard(rank, scenario.world())))
                .toList();
        int leaves = !scenario.cancels() ? 0 : scenario.ordered() ? 1 : dice.between(1, 3);
        for (int left = 0; left < leaves; left++) {
            from = phase(from, true).stream()
                    .map(token -> ResumeToken.parse(token.toString()))
                    .toList();
        }
        if (scenario.ordered() && leaves > 0) {
            from = from.subList(0, dice.between(1, world));
        }
        phase(from, false);
        checkLeftovers();
        return scheduler.trace();
    }

    private Sampler shard(int rank, int world) {
        return scenario.sampler().shard(Shard.of(rank, world));
    }

    /** Runs each rank from its position to its end, or until it leaves, and returns where they got to. */
    private List<ResumeToken> phase(List<ResumeToken> from, boolean leaving) {
        int world = from.size();
        int batchSize = dice.between(1, 6);
        List<SimulatedTrainer> trainers = new ArrayList<>();
        for (int rank = 0; rank < world; rank++) {
            trainers.add(start(rank, sampler(rank, from), batchSize, leaving));
        }
        runToQuiet(trainers, leaving);
        boolean poolEnded = scenario.poolEnds() && !leaving;
        for (int rank = 0; rank < world; rank++) {
            check(rank, trainers.get(rank), ExpectedBatches.of(scenario, sampler(rank, from), batchSize), poolEnded);
        }
        return scenario.ordered() ? together(from, trainers, leaving) : apart(from, trainers);
    }

    private Sampler sampler(int rank, List<ResumeToken> from) {
        return from.get(rank).resume(shard(rank, from.size()), pipelines.get(0));
    }

    private SimulatedTrainer start(int rank, Sampler sampler, int batchSize, boolean leaving) {
        int slots = dice.between(1, 3);
        SimulatedTrainer trainer = new SimulatedTrainer(
                scheduler, dice, dice.below(slots + 1), leaving ? dice.below(6) : Integer.MAX_VALUE);
        Execution execution = new Execution(dice.between(1, 12), pool, dice.between(1, 3), window());
        int[] allocated = {0};
        Batches<Item> batches = Batches.of(batchSize, Item.SCHEMA)
                .remainder(scenario.remainder())
                .slots(slots)
                .consumeOn(scheduler)
                .fillOn(pool)
                .allocator(bytes -> {
                    if (++allocated[0] > slots * Item.SCHEMA.names().size()) {
                        throw new AssertionError("more buffers than " + slots + " slots have");
                    }
                    return ByteBuffer.allocate(bytes);
                });
        Flux<Batch> flux = pipelines.get(rank / scenario.streams() % scenario.processes()).stream(sampler, execution)
                .transform(batches);
        scheduler.schedule(() -> flux.subscribe(trainer));
        return trainer;
    }

    /** A run may be resumed in order, too. */
    private int window() {
        return scenario.ordered() || dice.chance(0.2) ? 0 : scenario.window();
    }

    private void runToQuiet(List<SimulatedTrainer> trainers, boolean leaving) {
        int poolEndsAt = scenario.poolEnds() && !leaving ? dice.below(200) : Integer.MAX_VALUE;
        int steps = 0;
        while (scheduler.step()) {
            if (++steps == poolEndsAt) {
                pool.close();
            }
            if (steps > MAX_STEPS) {
                throw new AssertionError("still not quiet after " + steps + " steps");
            }
        }
        assertThat(trainers)
                .as("every stream ends")
                .allMatch(trainer -> trainer.completed() || trainer.failure() != null || trainer.hasLeft());
    }

    private void check(int rank, SimulatedTrainer trainer, ExpectedBatches expected, boolean poolEnded) {
        List<List<Item>> received = trainer.received();
        if (scenario.ordered() || !expected.fails()) {
            assertThat(received.size())
                    .as("batches of rank %d", rank)
                    .isLessThanOrEqualTo(expected.batches().size());
        }
        if (scenario.ordered()) {
            assertThat(received)
                    .as("batches of rank %d", rank)
                    .isEqualTo(expected.batches().subList(0, received.size()));
        } else {
            checkSamples(rank, trainer, expected);
        }
        if (!expected.fails()) {
            assertThat(trainer.ends())
                    .as("ends of epochs of rank %d", rank)
                    .isEqualTo(expected.ends().stream()
                            .filter(batch -> batch < received.size())
                            .collect(Collectors.toSet()));
        }
        if (poolEnded || trainer.hasLeft()) {
            return;
        }
        Throwable failure = trainer.failure();
        if (received.isEmpty()
                && failure != null
                && String.valueOf(failure.getMessage()).startsWith("no batch: ")) {
            return; // all batches were short and dropped
        }
        if (!expected.fails() && failure != null) {
            throw new AssertionError("rank " + rank + " failed", trainer.failure());
        }
        assertThat(trainer.completed()).as("rank %d completes", rank).isEqualTo(!expected.fails());
        if (scenario.ordered() || !expected.fails()) {
            assertThat(received).as("batches of rank %d", rank).hasSameSizeAs(expected.batches());
        }
    }

    /** In any order within their epoch: each that came was due, as often as it came. */
    private static void checkSamples(int rank, SimulatedTrainer trainer, ExpectedBatches expected) {
        Map<Long, List<Item>> due = new HashMap<>();
        expected.samples().forEach((epoch, items) -> due.put(epoch, new ArrayList<>(items)));
        for (int batch = 0; batch < trainer.received().size(); batch++) {
            List<Item> ofEpoch = due.getOrDefault(trainer.epoch(batch), new ArrayList<>());
            for (Item item : trainer.received().get(batch)) {
                assertThat(ofEpoch.remove(item))
                        .as("rank %d: %s is due in batch %d", rank, item, batch)
                        .isTrue();
            }
        }
    }

    /** The last position that all ranks have come to, with what they were given up to there counted. */
    private List<ResumeToken> together(List<ResumeToken> from, List<SimulatedTrainer> trainers, boolean leaving) {
        int common = trainers.stream()
                .mapToInt(trainer -> trainer.received().size())
                .min()
                .orElseThrow();
        while (common > 0 && !agree(trainers, common - 1)) {
            common--;
        }
        for (SimulatedTrainer trainer : trainers) {
            count(trainer, leaving ? common : trainer.received().size());
        }
        if (common == 0) {
            return from;
        }
        Position reached = trainers.get(0).behind(common - 1);
        return from.stream().map(token -> token.at(reached)).toList();
    }

    /** Each rank's own last position, with all that it was given counted. */
    private List<ResumeToken> apart(List<ResumeToken> from, List<SimulatedTrainer> trainers) {
        List<ResumeToken> reached = new ArrayList<>();
        for (int rank = 0; rank < from.size(); rank++) {
            SimulatedTrainer trainer = trainers.get(rank);
            int batches = trainer.received().size();
            count(trainer, batches);
            ResumeToken plan = ResumeToken.of(pipelines.get(0), shard(rank, from.size()));
            reached.add(batches == 0 ? from.get(rank) : plan.at(trainer.behind(batches - 1)));
        }
        return reached;
    }

    private void count(SimulatedTrainer trainer, int batches) {
        for (int batch = 0; batch < batches; batch++) {
            Map<Long, Integer> inEpoch = delivered.computeIfAbsent(trainer.epoch(batch), epoch -> new HashMap<>());
            trainer.received().get(batch).forEach(item -> inEpoch.merge(item.index(), 1, Integer::sum));
        }
    }

    private static boolean agree(List<SimulatedTrainer> trainers, int batch) {
        return trainers.stream()
                        .map(trainer -> trainer.behind(batch))
                        .distinct()
                        .count()
                == 1;
    }

    private void checkLeftovers() {
        assertThat(source.underWay()).as("loads under way behind the end").isZero();
        if (shared != null) {
            assertThat(shared.leased()).as("leases held behind the end").isZero();
        }
        if (scenario.loadsOnce()
                && scenario.remainder() != Remainder.DROP) { // an epoch without a batch cancels its loads
            for (int index = 0; index < scenario.samples(); index++) {
                assertThat(source.completed(index))
                        .as("loads of sample %d", index)
                        .isLessThanOrEqualTo(1);
            }
        }
        if (scenario.broken().isEmpty() && scenario.remainder() != Remainder.DROP && !scenario.poolEnds()) {
            checkEpochs();
        }
    }

    /** Over all ranks and across the resume, each epoch has each sample once. */
    private void checkEpochs() {
        assertThat(delivered).as("epochs").hasSize(scenario.epochs());
        delivered.forEach((epoch, counts) -> {
            assertThat(counts).as("samples of epoch %d", epoch).hasSize(scenario.samples());
            assertThat(counts.values()).as("deliveries in epoch %d", epoch).containsOnly(1);
        });
    }
}
