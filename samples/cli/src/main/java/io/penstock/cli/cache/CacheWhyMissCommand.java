package io.penstock.cli.cache;

import io.penstock.cache.Cache;
import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceFlags;
import io.penstock.pipeline.Dataset;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code penstock cache why-miss}: says which stage, source or version made a key differ. */
@Command(
        name = "why-miss",
        sortOptions = false,
        description = "Say why a cache does not have a sample: which stage, state of the source, or version differs.")
final class CacheWhyMissCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Mixin
    private final SourceFlags source = new SourceFlags();

    @Parameters(index = "0", paramLabel = "DIR", description = "The cache's directory.")
    private Path directory;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SAMPLE",
            description = "Its index, or its name: a path below the source. By default the first that misses.")
    private @Nullable String sample;

    @Override
    public Integer call() {
        Cacheable<?> cacheable = flags.checked(() -> source.open(null));
        CacheDirectory cache = CacheDirectory.at(directory);
        try (ChronicleTier tier = ChronicleTier.at(directory).readOnly().open()) {
            Dataset<?> kept = cacheable.in(Cache.of(tier), null);
            OptionalLong index = sample == null ? firstMiss(kept, tier) : OptionalLong.of(indexOf(sample, kept));
            if (index.isEmpty()) {
                flags.print(
                        "all %d samples are held".formatted(kept.size()),
                        "held",
                        node -> node.put("samples", kept.size()));
                return 0;
            }
            long at = index.getAsLong();
            print(at, kept.name(at), MissExplanation.of(cacheable, kept.id(at).key(), at, tier, cache.producers()));
        }
        return 0;
    }

    private static OptionalLong firstMiss(Dataset<?> kept, ChronicleTier tier) {
        return LongStream.range(0, kept.size())
                .filter(index -> !tier.contains(kept.id(index).key()))
                .findFirst();
    }

    private long indexOf(String wanted, Dataset<?> kept) {
        if (wanted.matches("\\d{1,18}")) {
            long index = Long.parseLong(wanted);
            if (index >= kept.size()) {
                throw flags.wrong("there is no sample %d: the source has %d".formatted(index, kept.size()));
            }
            return index;
        }
        String path = real(wanted);
        for (long index = 0; index < kept.size(); index++) {
            String name = kept.name(index);
            if (name.equals(wanted) || path.endsWith("/" + name)) {
                return index;
            }
        }
        throw flags.wrong("the source has no sample \"%s\"; its first is \"%s\"".formatted(wanted, kept.name(0)));
    }

    private static String real(String path) {
        try {
            return Path.of(path).toRealPath().toString();
        } catch (IOException | IllegalArgumentException e) {
            return path; // a name that is no path here
        }
    }

    private void print(long index, String name, MissExplanation why) {
        String says = switch (why.reason()) {
            case "held" -> "is held";
            case "never" -> "misses: no sample of this name was ever kept here";
            default -> "misses: " + String.join("; ", why.changes());
        };
        flags.print("sample %d: %s %s".formatted(index, name, says), "miss", node -> {
            node.put("index", index).put("sample", name).put("reason", why.reason());
            why.changes().forEach(node.putArray("changes")::add);
        });
    }
}
