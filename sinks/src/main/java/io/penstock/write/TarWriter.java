package io.penstock.write;

import io.penstock.internal.Arguments;
import io.penstock.internal.OptionalLibrary;
import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.internal.ShardPlan;
import io.penstock.write.internal.UnfinishedFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes samples to tar shards in WebDataset's layout, one file a part:
 * <pre>{@code
 *  dataset.stream(Sampler.sequential()).as(TarWriter.of(Schema.of(Photo.class)).shards(Path.of("out"), 1000))
 *  out/shard-000000.tar: 000000000.pixels.npy, 000000000.label.npy, 000000001.pixels.npy, …
 * }</pre>
 *
 * <p>The same samples make the same bytes: there is no time, owner or machine in the headers. Draws without a value are
 * left out. Immutable. Needs {@code org.apache.commons:commons-compress} on the class path.
 * @see <a href="https://github.com/webdataset/webdataset#the-webdataset-format">WebDataset's format</a>
 */
public final class TarWriter<T> {

    private final Function<? super T, Map<String, Tensor>> parts;
    private final Function<? super Sample<T>, String> key;

    private TarWriter(Function<? super T, Map<String, Tensor>> parts, Function<? super Sample<T>, String> key) {
        this.parts = parts;
        this.key = key;
    }

    /** Of every field as an {@code npy} file: part {@code NAME.npy}. */
    public static <T> TarWriter<T> of(Schema<T> schema) {
        List<String> names = schema.names();
        return ofParts(value -> {
            List<Tensor> fields = schema.flatten(value);
            Map<String, Tensor> parts = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                parts.put(names.get(i) + ".npy", Npy.encode(fields.get(i)));
            }
            return parts;
        });
    }

    /** Of files that a function makes of each value: their bytes, {@code u8[n]}, by extension, in order. */
    public static <T> TarWriter<T> ofParts(Function<? super T, Map<String, Tensor>> parts) {
        OptionalLibrary.COMPRESS.require(TarWriter.class);
        return new TarWriter<>(parts, sample -> "%09d".formatted(sample.draw().index()));
    }

    /**
     * Another key than the sample's index in nine digits: a relative path with no dot in its last part, such as
     * {@code train/000123}, and none twice in one shard.
     */
    public TarWriter<T> keys(Function<? super Sample<T>, String> key) {
        return new TarWriter<>(parts, key);
    }

    /**
     * Writes them into one file. Emits when it is finished; on cancel or an error nothing of it is left. Writes on
     * Reactor's elastic threads.
     * <p>Fails with {@code IllegalArgumentException} at a key or an extension that no archive should have, with
     * {@code StoreException} where it cannot be written.
     */
    public Function<Flux<Sample<T>>, Mono<Written>> file(Path file) {
        return samples -> Writing.write(
                        samples, number -> open(UnfinishedFile.of(file)), Long.MAX_VALUE, file.toString())
                .single();
    }

    /** As {@link #file(Path)}, into an output of this name. */
    public Function<Flux<Sample<T>>, Mono<Written>> file(OutputStore store, String name) {
        return samples -> Writing.write(samples, number -> open(store.open(name)), Long.MAX_VALUE, store.location(name))
                .single();
    }

    /**
     * Writes them into {@code shard-000000.tar} and so on, with {@code samplesEach} draws each; emits each shard when
     * it is finished, and otherwise does as {@link #file}.
     */
    public Function<Flux<Sample<T>>, Flux<Written>> shards(Path folder, long samplesEach) {
        return shards(FolderOutput.in(folder), samplesEach);
    }

    /** As {@link #shards(Path, long)}, into the prefix of a bucket. */
    public Function<Flux<Sample<T>>, Flux<Written>> shards(OutputStore store, long samplesEach) {
        Arguments.refuse(samplesEach < 1, "a shard must have at least 1 sample, was %s", samplesEach);
        return samples -> Writing.write(
                samples, number -> open(store.open(ShardPlan.shard(number))), samplesEach, store.location());
    }

    private SampleOutput<T> open(UnfinishedOutput file) {
        return new TarOutput<>(file, parts, key);
    }
}
