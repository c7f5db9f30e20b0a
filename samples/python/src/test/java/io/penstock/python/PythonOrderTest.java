package io.penstock.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Exhausted;
import io.penstock.order.Position;
import io.penstock.order.Proportions;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What {@code docs/order.md} specifies, written a second time in Python, draws the same samples. */
class PythonOrderTest {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root", ".."));
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Integer> SIZES = List.of(1, 2, 7, 8, 12, 16, 17, 31, 64, 100, 257, 300, 601);
    private static final List<String> MODES =
            List.of("global", "stable", "stable:4", "reshard=1", "reshard=2:3", "stable:3x4");

    /** A plan as both sides understand it. */
    private record Plan(String json, Sampler sampler, long size) {

        static Plan random(Random random) {
            long seed = random.nextLong();
            int size = SIZES.get(random.nextInt(SIZES.size()));
            int world = 1 + random.nextInt(5);
            int rank = random.nextInt(world);
            int window = 1 + random.nextInt(20);
            int interleaved = 1 + random.nextInt(9);
            int limit = random.nextInt(3) > 0 ? Integer.MAX_VALUE : random.nextInt(size + 1);
            String kind = List.of("sequential", "shuffled", "windowed").get(random.nextInt(3));
            String mode = MODES.get(random.nextInt(MODES.size()));
            Remainder remainder = List.of(Remainder.values()).get(random.nextInt(3));
            Position start = new Position(random.nextInt(2), random.nextInt(Math.min(limit, size) + 1));
            Sampler order = kind.equals("sequential")
                    ? Sampler.sequential().seed(seed)
                    : kind.equals("shuffled") ? Sampler.shuffled(seed) : Sampler.windowed(seed, window, interleaved);
            Sampler sampler = order.epochs(3)
                    .shard(Shard.of(rank, world))
                    .mode(ShardMode.parse(mode))
                    .remainder(remainder)
                    .resumeAt(start);
            String json = ("{\"size\":%d,\"seed\":%d,\"epochs\":3,\"rank\":%d,\"world\":%d,\"remainder\":\"%s\","
                            + "\"start\":[%d,%d],\"shard\":\"%s\",\"kind\":\"%s\",\"window\":%d,\"interleaved\":%d%s}")
                    .formatted(
                            size,
                            seed,
                            rank,
                            world,
                            remainder.name().toLowerCase(Locale.ROOT),
                            start.epoch(),
                            start.offset(),
                            mode,
                            kind,
                            window,
                            interleaved,
                            limit == Integer.MAX_VALUE ? "" : ",\"limit\":" + limit);
            return new Plan(json, limit == Integer.MAX_VALUE ? sampler : sampler.limit(limit), size);
        }

        /** A mixture, whose weights may have been changed at the start. */
        static Plan mixed(Random random) {
            long seed = random.nextLong();
            int world = 1 + random.nextInt(5);
            int rank = random.nextInt(world);
            int sources = 1 + random.nextInt(5);
            long[] sizes = random.longs(sources, 1, 60).toArray();
            String until = List.of("\"first\"", "\"all\"", "77").get(random.nextInt(3));
            double[] weights = weights(random, sources);
            Sampler order = (random.nextBoolean() ? Sampler.shuffled(seed) : Sampler.windowed(seed, 7, 2))
                    .epochs(3)
                    .shard(Shard.of(rank, world));
            String kind =
                    order.order().equals("shuffled") ? "" : ",\"kind\":\"windowed\",\"window\":7,\"interleaved\":2";
            Sampler first = order.mixed(proportions(sizes, weights, until));
            long samples = first.samples(LongStream.of(sizes).sum());
            Position start = new Position(1, random.nextLong(samples + 1));
            Sampler sampler = first.resumeAt(start);
            String since = "";
            if (random.nextBoolean()) {
                weights = weights(random, sources);
                sampler = order.mixed(proportions(sizes, weights, until))
                        .resumeMixture(first.mixture().orElseThrow(), samples, start);
                String state = sampler.mixture().orElseThrow();
                if (state.contains("counts")) { // the weights are others
                    until = Long.toString(samples);
                    since = ",\"since\":[1,%d],\"counts\":[%s]"
                            .formatted(
                                    start.offset(),
                                    state.replaceAll(".*counts ", "").replace(':', ','));
                }
            }
            String json = ("{\"seed\":%d,\"epochs\":3,\"rank\":%d,\"world\":%d,\"start\":[1,%d]%s,"
                            + "\"mixture\":{\"sizes\":%s,\"weights\":%s,\"until\":%s%s}}")
                    .formatted(
                            seed,
                            rank,
                            world,
                            start.offset(),
                            kind,
                            Arrays.toString(sizes),
                            Arrays.toString(weights),
                            until,
                            since);
            return new Plan(json, sampler, LongStream.of(sizes).sum());
        }

        /** A mixture by weights that change, of which the rest may have been another one before the start. */
        static Plan changing(Random random) {
            long seed = random.nextLong();
            int sources = 2 + random.nextInt(4);
            long[] sizes = random.longs(sources, 1, 60).toArray();
            boolean line = random.nextBoolean();
            Position start = new Position(1, random.nextInt(50));
            List<String> entries = new ArrayList<>();
            double[] first = weights(random, sources);
            Proportions proportions = proportions(sizes, first, "77");
            Proportions before = proportions;
            long at = 0;
            for (double[] weights = first; entries.size() < 4; weights = weights(random, sources)) {
                weights[random.nextInt(sources)] *= random.nextInt(2);
                weights[random.nextInt(sources)] += 0.07;
                entries.add("[%d,%s]".formatted(at, Arrays.toString(weights)));
                proportions = proportions.weightsAt(at, weights);
                before = at < 130 ? proportions : before;
                at += 1 + random.nextInt(90);
            }
            Sampler order = Sampler.shuffled(seed).epochs(3);
            Sampler sampler = order.mixed(line ? proportions.lines() : proportions);
            String since = "";
            if (!line) {
                String state = order.mixed(before).mixture().orElseThrow();
                sampler = sampler.resumeMixture(state, 77, start);
                state = sampler.mixture().orElseThrow();
                since = !state.contains("counts")
                        ? ""
                        : ",\"since\":[1,%d],\"counts\":[%s]"
                                .formatted(
                                        start.offset(),
                                        state.replaceAll(".*counts ", "").replace(':', ','));
            }
            String json = ("{\"seed\":%d,\"epochs\":3,\"start\":[1,%d],\"mixture\":{\"sizes\":%s,\"until\":77,"
                            + "\"weights_at\":%s,\"between\":\"%s\"%s}}")
                    .formatted(seed, start.offset(), Arrays.toString(sizes), entries, line ? "line" : "step", since);
            return new Plan(json, sampler.resumeAt(start), LongStream.of(sizes).sum());
        }

        private static double[] weights(Random random, int sources) {
            return random.ints(sources, 1, 20)
                    .mapToDouble(weight -> weight / 100.0)
                    .toArray();
        }

        static Plan weighted(Random random) {
            long seed = random.nextLong();
            double[] weights = random.doubles(1 + random.nextInt(200))
                    .map(weight -> weight < 0.3 ? 0 : Math.pow(weight, 7))
                    .toArray();
            weights[0] = 0.5;
            long draws = random.nextInt(300);
            String json = "{\"seed\":%d,\"epochs\":2,\"weighted\":{\"weights\":%s,\"draws\":%d}}"
                    .formatted(seed, Arrays.toString(weights), draws);
            return new Plan(json, Sampler.weighted(seed, weights, draws).epochs(2), weights.length);
        }

        String expected() {
            Draws draws = sampler.draws(size);
            return LongStream.range(0, draws.count())
                    .mapToObj(draws::at)
                    .map(draw -> "[%d,%s,%d,%d,%d]"
                            .formatted(
                                    draw.epoch(),
                                    draw.index() == Draw.PADDING ? "null" : draw.index(),
                                    draw.next().epoch(),
                                    draw.next().offset(),
                                    draw.left()))
                    .toList()
                    .toString()
                    .replace(" ", "");
        }
    }

    @BeforeAll
    static void assumePython() throws IOException, InterruptedException {
        Process python = new ProcessBuilder("sh", "-c", "python3 -c 'import json'")
                .redirectErrorStream(true)
                .start();
        assumeTrue(
                python.waitFor(300, TimeUnit.SECONDS) && python.exitValue() == 0,
                "this test needs python3 on the path");
    }

    private static List<String> python(List<String> plans) throws IOException, InterruptedException {
        Path module = ROOT.resolve("samples/python/penstock_order.py");
        Path input = Files.createTempFile("plans", ".jsonl");
        try {
            Files.write(input, plans);
            Process python = new ProcessBuilder("python3", module.toString())
                    .redirectInput(input.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(python.waitFor()).as(said).isZero();
            return said.lines().toList();
        } finally {
            Files.delete(input);
        }
    }

    @Test
    void draws_ofAnyPlan_areThoseOfPython() throws Exception {
        Random random = new Random(20_261_122);
        List<Plan> plans = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            plans.add(Plan.random(random));
        }
        for (int i = 0; i < 100; i++) {
            plans.add(Plan.mixed(random));
            plans.add(Plan.weighted(random));
            plans.add(Plan.changing(random));
        }

        List<String> drawn = python(plans.stream().map(Plan::json).toList());

        assertThat(drawn).hasSameSizeAs(plans);
        for (int i = 0; i < plans.size(); i++) {
            assertThat(drawn.get(i))
                    .as(plans.get(i).json())
                    .isEqualTo(plans.get(i).expected());
        }
    }

    /** A row of the document. */
    private record Vector(String plan, List<String> indices) {}

    /** The vectors in the document are rows of a table: a plan, and the indices that it draws. */
    @Test
    void vectors_inTheDocument_holdOnBothSides() throws Exception {
        List<Vector> rows = Pattern.compile("\\| `(\\{.*})` \\| ([\\d ]+) \\|")
                .matcher(Files.readString(ROOT.resolve("docs/order.md")))
                .results()
                .map(row ->
                        new Vector(row.group(1), List.of(row.group(2).strip().split(" ", -1))))
                .toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(8);

        List<String> drawn = python(rows.stream().map(Vector::plan).toList());

        for (int i = 0; i < rows.size(); i++) {
            List<String> indices = new ArrayList<>();
            for (JsonNode draw : JSON.readTree(drawn.get(i))) {
                indices.add(draw.get(1).asText());
            }
            Vector vector = rows.get(i);
            assertThat(indices).as(vector.plan()).isEqualTo(vector.indices());
            assertThat(java(JSON.readTree(vector.plan()))).as(vector.plan()).isEqualTo(vector.indices());
        }
    }

    private static Proportions proportions(long[] sizes, double[] weights, String until) {
        Proportions proportions = Proportions.of(sizes[0], weights[0]);
        for (int source = 1; source < sizes.length; source++) {
            proportions = proportions.and(sizes[source], weights[source]);
        }
        return switch (until) {
            case "\"first\"" -> proportions;
            case "\"all\"" -> proportions.until(Exhausted.ALL);
            default -> proportions.draws(Long.parseLong(until));
        };
    }

    private static double[] numbers(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .mapToDouble(JsonNode::asDouble)
                .toArray();
    }

    private static List<String> java(JsonNode plan) {
        long seed = plan.path("seed").asLong();
        if (plan.has("weighted")) {
            double[] weights = numbers(plan.path("weighted").path("weights"));
            long draws = plan.path("weighted").path("draws").asLong(weights.length);
            return indices(Sampler.weighted(seed, weights, draws), plan, weights.length);
        }
        Sampler order = plan.path("kind").asText().equals("windowed")
                ? Sampler.windowed(
                        seed,
                        plan.path("window").asLong(),
                        plan.path("interleaved").asInt(64))
                : Sampler.shuffled(seed);
        if (plan.has("mixture")) {
            JsonNode mixture = plan.path("mixture");
            long[] sizes = DoubleStream.of(numbers(mixture.path("sizes")))
                    .mapToLong(size -> (long) size)
                    .toArray();
            String until = mixture.has("until") ? mixture.path("until").toString() : "\"first\"";
            double[] weights = mixture.has("weights")
                    ? numbers(mixture.path("weights"))
                    : DoubleStream.generate(() -> 1).limit(sizes.length).toArray();
            Proportions proportions = proportions(sizes, weights, until);
            for (JsonNode entry : mixture.path("weights_at")) {
                proportions = proportions.weightsAt(entry.get(0).asLong(), numbers(entry.get(1)));
            }
            proportions = mixture.path("between").asText().equals("line") ? proportions.lines() : proportions;
            return indices(order.mixed(proportions), plan, LongStream.of(sizes).sum());
        }
        Sampler parts = order.mode(ShardMode.parse(plan.path("shard").asText("global")))
                .limit(plan.path("limit").asLong(Long.MAX_VALUE));
        return indices(parts, plan, plan.path("size").asLong());
    }

    private static List<String> indices(Sampler sampler, JsonNode plan, long size) {
        Draws draws = sampler.epochs(plan.path("epochs").asLong(1))
                .shard(Shard.of(plan.path("rank").asInt(), plan.path("world").asInt(1)))
                .draws(size);
        return LongStream.range(0, draws.count())
                .mapToObj(number -> Long.toString(draws.at(number).index()))
                .toList();
    }
}
