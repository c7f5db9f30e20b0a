package io.penstock.cli.source;

import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for stages that use a fit: {@code FIT.json#FIELD,…}. */
final class FitFlags {

    private static final Set<DType> FLOATS = EnumSet.of(DType.F16, DType.BF16, DType.F32, DType.F64);
    private static final String BUCKETS = "10";
    private static final int CHANNELS = 3;
    private static final int WHITE = 255;

    @Option(names = "--fill", paramLabel = "FIT.json[#FIELDS]")
    private @Nullable String fill;

    @Option(names = "--bucketise", paramLabel = "FIT.json#FIELD[=N],...")
    private @Nullable String bucketise;

    @Option(names = "--one-hot", paramLabel = "FIT.json#FIELDS")
    private @Nullable String oneHot;

    @Option(names = "--standardise", paramLabel = "FIT.json[#FIELDS]")
    private @Nullable String standardise;

    private boolean isGiven() {
        return fill != null || bucketise != null || oneHot != null || standardise != null;
    }

    /** The samples with the stages on them, in the order of the flags here; loads one of them. Blocks. */
    <T> Cacheable<T> over(Cacheable<T> samples) {
        if (!isGiven() || samples.dataset().size() == 0) {
            return samples;
        }
        Schema<T> schema = samples.schema();
        String[] floats = floats(samples);
        Dataset<T> made = samples.dataset();
        if (fill != null) {
            made = fit(fill).fill(made, schema, fields(fill, floats));
        }
        if (bucketise != null) {
            Fit fit = fit(bucketise);
            for (String field : fields(bucketise)) {
                String[] named = field.split("=", 2);
                int count = buckets(field, named.length == 2 ? named[1] : BUCKETS);
                made = fit.bucketise(made, schema, count, named[0]);
            }
        }
        if (oneHot != null) {
            made = fit(oneHot).oneHot(made, schema, fields(oneHot));
        }
        if (standardise != null) {
            made = fit(standardise).standardise(made, schema, fields(standardise, floats));
        }
        return new Cacheable<>(made, schema, 0, samples.classes(), samples.listing(), samples.parts());
    }

    /** @throws IllegalArgumentException if there are such stages: floats of pictures are made behind the cache */
    Cacheable<Picture> overPictures(Cacheable<Picture> pictures) {
        if (!isGiven()) {
            return pictures;
        }
        Map<String, FieldFit> fields =
                standardise == null ? Map.of() : fit(standardise).fields();
        List<FieldFit> channels = IntStream.range(0, CHANNELS)
                .mapToObj(channel -> fields.get("pixels[%d]".formatted(channel)))
                .filter(Objects::nonNull)
                .toList();
        String numbers = channels.size() < CHANNELS
                ? "MEAN:DEVIATION"
                : shares(channels, FieldFit::mean) + ":" + shares(channels, FieldFit::deviation);
        throw new IllegalArgumentException(
                "--standardise, --fill, --bucketise and --one-hot are for tables and arrays; pictures take"
                        + " --augment normalise=" + numbers);
    }

    private static String shares(List<FieldFit> channels, ToDoubleFunction<FieldFit> number) {
        return channels.stream()
                .map(each -> String.format(Locale.ROOT, "%.4f", number.applyAsDouble(each) / WHITE))
                .collect(Collectors.joining("/"));
    }

    private static Fit fit(String flag) {
        return Fit.read(Path.of(flag.replaceFirst("#[^#]*$", "")));
    }

    private static String[] fields(String flag, String... otherwise) {
        int hash = flag.lastIndexOf('#');
        return hash < 0 ? otherwise : flag.substring(hash + 1).split(",");
    }

    private static int buckets(String field, String count) {
        Arguments.refuse(!count.matches("\\d{1,9}"), "--bucketise needs FIELD or FIELD=N, was \"%s\"", field);
        return Integer.parseInt(count);
    }

    /** The fields of floats: integers may be classes. */
    private static <T> String[] floats(Cacheable<T> samples) {
        T first = samples.dataset().get(0).blockOptional().orElseThrow();
        List<Tensor> values = samples.schema().flatten(first);
        return IntStream.range(0, values.size())
                .filter(i -> FLOATS.contains(values.get(i).dtype()))
                .mapToObj(samples.schema().names()::get)
                .toArray(String[]::new);
    }
}
