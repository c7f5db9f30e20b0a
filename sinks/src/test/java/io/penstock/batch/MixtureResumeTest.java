package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Exhausted;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Execution;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A run over a mixture that is stopped at any batch goes on at another world size, worker count and batch size, and with
 * other weights: the draws of its ranks interleave to those of a run that was never stopped.
 */
@Tag("repeated")
class MixtureResumeTest {

    private static final int RESUMES = Boolean.getBoolean("penstock.endurance") ? 300 : 30;
    private static final int SCHEDULE_RESUMES = Boolean.getBoolean("penstock.endurance") ? 500 : 30;
    private static final int STOPS = 3;
    private static final int EPOCHS = 3;
    private static final int FAR = 1_000_000;
    private static final Scheduler POOL = Schedulers.newParallel("mixture", 4, true);

    /** What was delivered: a sample of a source, and a number that its draw gave it. */
    private record Row(int source, long sample, long noise) {}

    /** How a run is carried out, which must not matter. */
    private record Manner(int worldSize, int batch, Execution execution) {
        static Manner random(Random random) {
            Execution execution =
                    Execution.standard().workers(POOL, 1 + random.nextInt(4)).inFlight(1 + random.nextInt(48));
            return new Manner(1 + random.nextInt(9), 1 + random.nextInt(12), execution);
        }
    }

    /** The rows of a part of a run, drawn by these weights. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Part(double[] weights, List<Row> rows) {}

    @AfterAll
    static void disposePool() {
        POOL.dispose();
    }

    @Test
    void run_stoppedAnywhereAndResumedOtherwise_losesRepeatsAndReordersNothing() {
        Random random = new Random(20_261_122);
        int resumes = 0;
        int changes = 0;
        while (resumes < RESUMES) {
            int[] sizes = random.ints(2 + random.nextInt(3), 1, 50).toArray();
            boolean changing = random.nextBoolean();
            double[] weights = weights(random, sizes.length);
            Sampler order = order(random).epochs(EPOCHS);
            Mixture<Tensor> mixture = mixture(sizes, weights);
            Sampler sampler = mixture.sampler(order);
            long anEpoch = sampler.samples(mixture.dataset().size());
            List<Row> whole = run(mixture, sampler.epochs(2 * EPOCHS), Manner.random(random), FAR).rows;
            List<Part> parts = new ArrayList<>();
            Ran ran = run(mixture, sampler, Manner.random(random), 1 + random.nextInt(9));
            parts.add(new Part(weights, ran.rows));

            for (int stop = 1; stop <= STOPS; stop++) {
                String token =
                        ResumeToken.of(mixture.dataset(), sampler).at(ran.next).toString();
                if (changing && random.nextInt(3) > 0) {
                    weights = weights(random, sizes.length);
                    mixture = mixture(sizes, weights);
                    changes++;
                }
                sampler = ResumeToken.parse(token).resume(mixture.sampler(order), mixture.dataset());
                ran = run(mixture, sampler, Manner.random(random), stop == STOPS ? FAR : 1 + random.nextInt(9));
                parts.add(new Part(weights, ran.rows));
                resumes++;
            }

            List<Row> delivered =
                    parts.stream().flatMap(part -> part.rows.stream()).toList();
            assertThat(delivered).hasSize((int) (EPOCHS * anEpoch));
            if (!changing) {
                assertThat(delivered).isEqualTo(whole.subList(0, delivered.size()));
            }
            for (int source = 0; source < sizes.length; source++) {
                assertGoesOn(samples(delivered, source), samples(whole, source), sizes[source]);
            }
            assertFollowsWeights(parts);
        }
        assertThat(changes).isGreaterThan(RESUMES / 5);
    }

    /** A source's samples are those of the run that was not stopped, in its order, and each once a pass. */
    private static void assertGoesOn(List<Long> samples, List<Long> whole, int size) {
        int both = Math.min(samples.size(), whole.size());
        assertThat(samples.subList(0, both)).isEqualTo(whole.subList(0, both));
        for (int from = 0; from < samples.size(); from += size) {
            assertThat(samples.subList(from, Math.min(from + size, samples.size())))
                    .doesNotHaveDuplicates();
        }
    }

    private static List<Long> samples(List<Row> rows, int source) {
        return rows.stream()
                .filter(row -> row.source == source)
                .map(Row::sample)
                .toList();
    }

    /** Parts of the same weights follow one schedule, which begins where they were changed. */
    private static void assertFollowsWeights(List<Part> parts) {
        double[] weights = {};
        long[] counts = {};
        long drawn = 0;
        for (Part part : parts) {
            if (weights != part.weights) {
                weights = part.weights;
                counts = new long[weights.length];
                drawn = 0;
            }
            double sum = DoubleStream.of(weights).sum();
            for (Row row : part.rows) {
                counts[row.source]++;
                drawn++;
                for (int source = 0; source < weights.length; source++) {
                    assertThat(Math.abs(counts[source] - drawn * weights[source] / sum))
                            .isLessThan(1);
                }
            }
        }
    }

    /** Weights by the number of the draw, and what is made of them when a part of them is not yet used. */
    private record Curriculum(List<Long> from, List<double[]> weights, boolean lines) {

        static Curriculum random(Random random, int sources) {
            Curriculum first = new Curriculum(
                    List.of(0L), List.of(MixtureResumeTest.weights(random, sources)), random.nextBoolean());
            return first.more(0, random);
        }

        private Curriculum more(long draw, Random random) {
            List<Long> moreFrom = new ArrayList<>(from);
            List<double[]> moreWeights = new ArrayList<>(weights);
            for (int entry = random.nextInt(4); entry > 0; entry--) {
                long last = moreFrom.get(moreFrom.size() - 1);
                moreFrom.add(Math.max(draw, last + 1) + random.nextInt(90));
                moreWeights.add(MixtureResumeTest.weights(random, weights.get(0).length));
            }
            return new Curriculum(moreFrom, moreWeights, lines);
        }

        /** Another rest behind a draw: a line that has begun keeps its end. */
        Curriculum changedBehind(long draw, Random random) {
            int kept = 0;
            while (kept < from.size() && from.get(kept) < draw) {
                kept++;
            }
            List<Long> keptFrom = new ArrayList<>(from.subList(0, kept));
            List<double[]> keptWeights = new ArrayList<>(weights.subList(0, kept));
            if (lines && kept > 0) {
                boolean begun = kept < from.size();
                keptFrom.add(begun ? from.get(kept) : (Long) draw);
                keptWeights.add(weights.get(begun ? kept : kept - 1));
            }
            return kept == 0
                    ? random(random, weights.get(0).length)
                    : new Curriculum(keptFrom, keptWeights, lines).more(draw, random);
        }

        Mixture<Tensor> of(int[] sizes) {
            Mixture<Tensor> mixture = mixture(sizes, weights.get(0)).draws(100);
            for (int entry = 1; entry < from.size(); entry++) {
                mixture = mixture.weightsAt(from.get(entry), weights.get(entry));
            }
            return lines ? mixture.lines() : mixture;
        }

        /** The share of a source in a draw. */
        double share(int source, long draw) {
            int entry = from.size() - 1;
            while (from.get(entry) > draw) {
                entry--;
            }
            double here = share(weights.get(entry), source);
            if (!lines || entry == from.size() - 1) {
                return here;
            }
            double way = (draw - from.get(entry) + 0.5) / (from.get(entry + 1) - from.get(entry));
            return here + (share(weights.get(entry + 1), source) - here) * way;
        }

        private static double share(double[] weights, int source) {
            return weights[source] / DoubleStream.of(weights).sum();
        }
    }

    @Test
    void curriculum_stoppedAnywhereAndChangedBehind_drawsWhatItSays() {
        Random random = new Random(20_261_127);
        Manner alone = new Manner(1, 1, Execution.standard());
        int resumes = 0;
        int changes = 0;
        while (resumes < SCHEDULE_RESUMES) {
            int[] sizes = random.ints(2 + random.nextInt(8), 1, 50).toArray();
            Curriculum curriculum = Curriculum.random(random, sizes.length);
            boolean changing = random.nextBoolean();
            Sampler order = order(random).epochs(EPOCHS);
            Mixture<Tensor> mixture = curriculum.of(sizes);
            Sampler sampler = mixture.sampler(order);
            List<Row> whole = run(mixture, sampler, alone, FAR).rows;
            Ran ran = run(mixture, sampler, Manner.random(random), 1 + random.nextInt(9));
            List<Row> delivered = new ArrayList<>(ran.rows);

            for (int stop = 1; stop <= STOPS; stop++) {
                String token =
                        ResumeToken.of(mixture.dataset(), sampler).at(ran.next).toString();
                if (changing) {
                    curriculum = curriculum.changedBehind(delivered.size(), random);
                    mixture = curriculum.of(sizes);
                    changes++;
                }
                sampler = ResumeToken.parse(token).resume(mixture.sampler(order), mixture.dataset());
                ran = run(mixture, sampler, Manner.random(random), stop == STOPS ? FAR : 1 + random.nextInt(9));
                assertThat(ran.rows).isEqualTo(run(mixture, sampler, alone, ran.rows.size()).rows);
                delivered.addAll(ran.rows);
                resumes++;
            }

            assertThat(delivered).hasSize(100 * EPOCHS);
            if (!changing) {
                assertThat(delivered).isEqualTo(whole);
            }
            for (int source = 0; source < sizes.length; source++) {
                assertGoesOn(samples(delivered, source), samples(whole, source), sizes[source]);
                double due = 0;
                for (int draw = 0; draw < delivered.size(); draw++) {
                    due += curriculum.share(source, draw);
                    due -= delivered.get(draw).source == source ? 1 : 0;
                    assertThat(due).isGreaterThan(-1).isLessThan(changing ? 2 : 1);
                }
            }
        }
        assertThat(changes).isGreaterThan(SCHEDULE_RESUMES / 5);
    }

    private static double[] weights(Random random, int sources) {
        return random.nextInt(20) == 0
                ? random.doubles(sources, 0.05, 1).toArray() // of no small fractions: their schedule takes longer
                : random.ints(sources, 1, 12).asDoubleStream().toArray();
    }

    private static Sampler order(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> Sampler.sequential();
            case 1 -> Sampler.windowed(random.nextLong(), 1 + random.nextInt(20));
            default -> Sampler.shuffled(random.nextLong());
        };
    }

    private static Mixture<Tensor> mixture(int[] sizes, double[] weights) {
        Mixture<Tensor> mixture = Mixture.of(source(sizes[0], 0), weights[0]);
        for (int source = 1; source < sizes.length; source++) {
            mixture = mixture.and(source(sizes[source], source), weights[source]);
        }
        return sizes[0] % 2 == 0 ? mixture : mixture.until(Exhausted.ALL);
    }

    /** Sample i is [source, i, 0]; some come at once, some later from other threads. */
    private static Dataset<Tensor> source(int size, int source) {
        return new MadeDataset<>("numbers of " + source, size, index -> {
            Mono<Tensor> mono = Mono.fromCallable(() -> triple(source, index, 0));
            return index % 3 == 0 ? mono : mono.subscribeOn(POOL);
        });
    }

    private static Tensor triple(long source, long index, long noise) {
        ByteBuffer bytes = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, source).putLong(8, index).putLong(16, noise);
        return Tensor.of(DType.I64, Shape.of(3), bytes);
    }

    /** The rows of all ranks in the global order, and where they stopped. */
    private record Ran(List<Row> rows, Position next) {}

    private static Ran run(Mixture<Tensor> mixture, Sampler sampler, Manner manner, long batches) {
        Pipeline<Tensor> pipeline = mixture.dataset()
                .augment("noise", (value, random) -> triple(value.longAt(0), value.longAt(1), random.nextLong()));
        List<List<List<Row>>> ranks = new ArrayList<>();
        Position next = sampler.start();
        for (int rank = 0; rank < manner.worldSize; rank++) {
            List<List<Row>> epochs = IntStream.range(0, (int) sampler.epochs())
                    .<List<Row>>mapToObj(epoch -> new ArrayList<>())
                    .toList();
            next = runRank(pipeline, sampler.shard(Shard.of(rank, manner.worldSize)), manner, batches, epochs);
            ranks.add(epochs);
        }
        List<Row> rows = new ArrayList<>();
        for (int epoch = 0; epoch < sampler.epochs(); epoch++) {
            for (int step = 0; step < ranks.get(0).get(epoch).size(); step++) {
                for (List<List<Row>> rank : ranks) {
                    if (step < rank.get(epoch).size()) {
                        rows.add(rank.get(epoch).get(step));
                    }
                }
            }
        }
        return new Ran(rows, next);
    }

    private static Position runRank(
            Pipeline<Tensor> pipeline, Sampler sampler, Manner manner, long batches, List<List<Row>> epochs) {
        Position next = sampler.start();
        for (Batch batch : pipeline.stream(sampler, manner.execution)
                .transform(Batches.of(manner.batch, Schema.tensor("triple")))
                .take(batches)
                .toIterable(1)) {
            try (batch) {
                ByteBuffer values = batch.tensor("triple").data().order(ByteOrder.LITTLE_ENDIAN);
                for (int row = 0; row < batch.size(); row++) {
                    int at = 24 * row;
                    epochs.get((int) batch.epoch())
                            .add(new Row((int) values.getLong(at), values.getLong(at + 8), values.getLong(at + 16)));
                }
                next = batch.next();
            }
        }
        return next;
    }
}
