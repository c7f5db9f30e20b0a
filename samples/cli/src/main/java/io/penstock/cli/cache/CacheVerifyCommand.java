package io.penstock.cli.cache;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Sources;
import io.penstock.pipeline.Indexing;
import io.penstock.shard.TarShards;
import io.penstock.store.mirror.MirrorDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code penstock cache verify}: reads everything and compares checksums. */
@Command(
        name = "verify",
        description = "Read every value of a cache and compare its checksum; status 1 if any is damaged.")
final class CacheVerifyCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Parameters(paramLabel = "DIR", description = "The directory of a cache, or of a mirror.")
    private Path directory;

    private long bytes;
    private long damaged;

    @Override
    public Integer call() {
        if (MirrorDirectory.isOne(directory)) {
            return new MirroredCopies(flags, directory).verify();
        }
        CacheDirectory cache = CacheDirectory.at(directory);
        ProgressLine progress = flags.progress(0);
        long entries = cache.verify(
                length -> {
                    bytes += length;
                    if (progress.isDue()) {
                        progress.show("verifying: " + ByteSize.roundedUp(bytes));
                    }
                },
                damage -> {
                    progress.clear();
                    report(damage.segment(), damage.position(), damage.what());
                });
        Stream.of(
                        TarShards.damaged(directory.resolve(Sources.TAR_INDEX)),
                        AnnotatedImages.damaged(directory.resolve(Sources.TAR_INDEX)),
                        Indexing.damaged(directory.resolve(Sources.LENGTHS)))
                .flatMap(List::stream)
                .forEach(file -> report(directory.relativize(file).toString(), 0, "does not match its checksums"));
        progress.clear();
        BesideTheLog.in(cache).nameForeign(flags);
        flags.print(
                "%d values of %s read, %d places damaged".formatted(entries, ByteSize.roundedUp(bytes), damaged),
                "verified",
                node -> node.put("entries", entries).put("bytes", bytes).put("damaged", damaged));
        if (damaged > 0) {
            flags.complain("%d places are damaged; the cache treats them as misses and loads those samples again"
                    .formatted(damaged));
            return 1;
        }
        return 0;
    }

    private void report(String file, long position, String what) {
        damaged++;
        flags.print(
                "damaged: %s at %d: %s".formatted(file, position, what),
                "damage",
                node -> node.put("segment", file).put("position", position).put("what", what));
    }
}
