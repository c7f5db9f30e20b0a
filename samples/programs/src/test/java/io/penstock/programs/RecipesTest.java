package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Sample;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** The code of docs/recipes.md, on made samples. */
class RecipesTest {

    private static final int PHOTOS = 200;
    private static final Path PAGE = Path.of(System.getProperty("penstock.root"), "docs", "recipes.md");

    @TempDir
    private static Path folder;

    private static Given page;

    @BeforeAll
    static void compile() throws Exception {
        page = (Given) new Snippets(folder).instance(Document.read(PAGE).snippets());
        page.photos = MemoryDataset.generate("photos", PHOTOS, RecipesTest::photo);
        page.schema = Schema.of(Given.Photo.class);
    }

    /** One in ten is of class 1. */
    private static Given.Photo photo(long index) {
        byte[] pixels = new byte[12];
        Arrays.fill(pixels, (byte) index);
        return new Given.Photo(Tensor.ofBytes(pixels, 2, 2, 3), index % 10 == 0 ? 1 : 0);
    }

    /** The result of a method of the page. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the caller knows the page
    private static <T> T call(String name, Object... arguments) throws Exception {
        Method method = Stream.of(page.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        return (T) method.invoke(page, arguments);
    }

    private static Class<?> nested(String name) throws ClassNotFoundException {
        return Class.forName(
                page.getClass().getName() + "$" + name, true, page.getClass().getClassLoader());
    }

    private static void close(Batch batch) {
        batch.close();
    }

    @Test
    void fit_untilTheLossRises_stopsThere() throws Exception {
        List<Integer> learned = new ArrayList<>();
        List<Integer> validated = new ArrayList<>();
        Consumer<Batch> learn = batch -> {
            try (batch) {
                learned.add(batch.size());
            }
        };
        Function<Batch, Double> loss = batch -> {
            try (batch) {
                validated.add(batch.size());
                return learned.size() > 30 ? 2.0 : 1.0;
            }
        };

        List<Double> losses = call("fit", 9L, learn, loss);

        assertThat(losses).hasSizeBetween(3, 5);
        assertThat(learned).containsOnly(16);
        int epochs = losses.size();
        int batches = learned.size() / epochs;
        int heldBack = validated.stream().mapToInt(size -> size).sum() / epochs;
        assertThat(PHOTOS - heldBack - 16 * batches).isBetween(0, 15);
    }

    @Test
    void source_ofAnArchive_isCachedByTheVersionOfEachSample() throws Exception {
        Constructor<?> scan = nested("Scan").getDeclaredConstructors()[0];
        scan.setAccessible(true);
        Class<?> archive = nested("Archive");
        Map<String, String> versions = new HashMap<>(Map.of("a", "1", "b", "1", "c", "1"));
        List<Object> read = new ArrayList<>();
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "ids" -> List.of("a", "b", "c");
            case "version" -> versions.get((String) arguments[0]);
            default -> {
                synchronized (read) {
                    read.add(arguments[0]);
                }
                byte[] name = ((String) arguments[0]).getBytes(StandardCharsets.UTF_8);
                yield scan.newInstance(Tensor.ofBytes(name, 1), 1.5);
            }
        };
        Object source = Proxy.newProxyInstance(archive.getClassLoader(), new Class<?>[] {archive}, handler);
        Method open = nested("Scans").getDeclaredMethod("open", archive);
        open.setAccessible(true);
        Dataset<?> first = (Dataset<?>) open.invoke(null, source);

        try (Cache cache = Cache.of(RamTier.ofBytes(1 << 20))) {
            List<String> names = epoch(first, cache, scan.getDeclaringClass());
            versions.put("b", "2");
            Dataset<?> second = (Dataset<?>) open.invoke(null, source);
            epoch(second, cache, scan.getDeclaringClass());

            assertThat(names).hasSize(3).contains("Scan[voxels=u8[1] {97}, age=1.5]");
            assertThat(read).containsExactlyInAnyOrder("a", "b", "c", "b");
            assertThat(first.name(2)).isEqualTo("c");
            assertThat(second.fingerprint().hex())
                    .isNotEqualTo(first.fingerprint().hex());
        }
    }

    private static <T> List<String> epoch(Dataset<T> data, Cache cache, Class<?> type) {
        @SuppressWarnings("unchecked") // the record is the data's
        Codec<T> codec = (Codec<T>) Schema.of(type);
        return data.cache(cache, codec).stream(Sampler.sequential().epoch(0))
                .map(sample -> sample.value().toString())
                .collectList()
                .block();
    }

    @Test
    void steps_ofAPhoto_areTheSameAgain() throws Exception {
        Pipeline<Given.Photo> steps = call("steps");

        List<Tensor> once = pixels(steps);

        assertThat(pixels(steps)).isEqualTo(once);
        assertThat(once).hasSize(PHOTOS);
        for (int i = 0; i < PHOTOS; i++) {
            assertThat(Math.abs(once.get(i).longAt(0) - i / 16 * 16)).isLessThanOrEqualTo(4);
        }
    }

    private static List<Tensor> pixels(Pipeline<Given.Photo> steps) {
        return steps.stream(Sampler.sequential().epoch(0))
                .map(sample -> sample.value().pixels())
                .collectList()
                .block();
    }

    @Test
    void ranks_ofAnEpoch_haveAsManyFullBatches() throws Exception {
        List<Long> batches = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            Flux<Batch> own = call("ofThisRank", 0L, Shard.of(rank, 3));
            batches.add(own.doOnNext(RecipesTest::close).count().block());
        }

        assertThat(batches).containsExactly(4L, 4L, 4L);
    }

    @Test
    void training_thatBrokeOff_goesOnAtTheNextBatch() throws Exception {
        Path file = folder.resolve("token");
        List<Tensor> all = new ArrayList<>();
        Consumer<Batch> learn = batch -> all.add(copy(batch));
        call("trainOn", folder.resolve("other"), 2L, learn);
        List<Tensor> parts = new ArrayList<>();
        Consumer<Batch> breaks = batch -> {
            if (parts.size() == 7) {
                throw new CancellationException("enough");
            }
            parts.add(copy(batch));
        };

        assertThat(catchThrowable(() -> call("trainOn", file, 2L, breaks)))
                .hasRootCauseInstanceOf(CancellationException.class);
        Consumer<Batch> rest = batch -> parts.add(copy(batch));
        call("trainOn", file, 2L, rest);

        assertThat(parts).hasSize(26).isEqualTo(all);
    }

    private static Tensor copy(Batch batch) {
        Tensor pixels = batch.tensor("pixels");
        return Tensor.ofBytes(pixels.toByteArray(), pixels.shape().toArray());
    }

    @Test
    void phrases_ofDifferentLengths_areBatchedWithTheirLengths() throws Exception {
        Constructor<?> phrase = nested("Phrase").getDeclaredConstructors()[0];
        phrase.setAccessible(true);
        Object data = MemoryDataset.generate("phrases", 40, index -> {
            try {
                return phrase.newInstance(Tensor.ofInts(new int[1 + (int) index], 1 + index), 0);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        });

        for (String method : List.of("padded", "bucketed")) {
            Flux<Batch> batches = call(method, data, 0L);
            List<Long> lengths = batches.concatMapIterable(batch -> {
                        try (batch) {
                            Tensor own = batch.tensor("tokens.length");
                            assertThat(own.shape().dim(0))
                                    .isEqualTo(batch.tensor("tokens").shape().dim(0));
                            return IntStream.range(0, batch.size())
                                    .mapToObj(own::longAt)
                                    .toList();
                        }
                    })
                    .collectList()
                    .block();
            assertThat(lengths)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, 40).boxed().toList());
        }
    }

    @Test
    void rareClass_ofABalancedEpoch_isHalfOfIt() throws Exception {
        int[] labels =
                IntStream.range(0, PHOTOS).map(index -> photo(index).label()).toArray();

        Flux<Sample<Given.Photo>> epoch = call("balancedEpoch", labels, 0L);
        List<Integer> drawn =
                epoch.map(sample -> sample.value().label()).collectList().block();

        assertThat(drawn).hasSize(PHOTOS);
        assertThat(drawn.stream().filter(label -> label == 1).count()).isBetween(70L, 130L);
    }

    @Test
    void policy_ofAPatientPipeline_isTaken() throws Exception {
        Pipeline<Given.Photo> patient = call("patient", folder.resolve("bad.jsonl"));

        assertThat(pixels(patient)).hasSize(PHOTOS);
    }
}
