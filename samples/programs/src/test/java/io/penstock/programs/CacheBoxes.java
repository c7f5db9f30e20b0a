package io.penstock.programs;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cache.Cache;
import io.penstock.cache.Producer;
import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.kryo.KryoCodec;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import io.penstock.text.TextLines;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the labels of boxes in JSON lines. Parsed lines are kept on disk, so that a second run parses none. */
public final class CacheBoxes {

    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KryoCodec<Picture> CODEC = KryoCodec.of(Picture.class, Box.class); // all classes in a value

    private CacheBoxes() {}

    /** A line. An ordinary class: Kryo makes it without its constructor. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    static final class Picture {
        final String image;
        final List<Box> boxes;

        @JsonCreator
        Picture(@JsonProperty("image") String image, @JsonProperty("boxes") List<Box> boxes) {
            this.image = image;
            this.boxes = boxes;
        }
    }

    record Box(String label, float x, float y, float width, float height) {}

    /**
     * What a run found.
     * @param labels  how often each comes
     * @param parsed  lines that were not in the cache
     * @param changes if there were any, how this run differs from those that filled the cache
     */
    record Read(Map<String, Long> labels, long parsed, List<String> changes) {}

    private static Picture parse(String line) {
        try {
            return JSON.readValue(line, Picture.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the line is no picture: " + e.getOriginalMessage(), e);
        }
    }

    /** Parses what the cache does not hold. A parser whose results change changes its version. */
    static Read read(Path file, Path folder, int version) {
        try (TextLines lines = TextLines.openJson(file);
                Cache cache =
                        Cache.of(ChronicleTier.at(folder).maxBytes(1L << 30).open())) {
            Dataset<Picture> parsed = lines.map("parse boxes, version " + version, CacheBoxes::parse);
            Dataset<Picture> kept = parsed.cache(cache, CODEC);
            Map<String, Long> labels = new TreeMap<>();
            kept.stream(Sampler.sequential())
                    .map(Sample::value)
                    .flatMapIterable(picture -> picture.boxes)
                    .doOnNext(box -> labels.merge(box.label(), 1L, Long::sum))
                    .blockLast();
            long loads = kept.statistics().loads();
            Producer now = Dataset.producer(parsed, CODEC);
            return new Read(labels, loads, loads == 0 ? List.of() : changes(folder, now));
        }
    }

    private static List<String> changes(Path folder, Producer now) {
        return CacheDirectory.at(folder).producers().stream()
                .filter(then -> !then.stages().equals(now.stages()))
                .map(then -> "kept by %s, wanted is %s".formatted(then.stages(), now.stages()))
                .toList();
    }

    /** Arguments: JSON lines, the cache's folder. */
    public static void main(String[] arguments) {
        System.out.println(read(Path.of(arguments[0]), Path.of(arguments[1]), VERSION));
    }
}
