package io.penstock.cli.cache;

import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.store.mirror.MirrorDirectory;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code penstock cache clear}: deletes a cache. */
@Command(
        name = "clear",
        description =
                "Delete a cache's own files. Other files stay and are named. Refused while a process has it open.")
final class CacheClearCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Parameters(paramLabel = "DIR", description = "The directory of a cache, or of a mirror.")
    private Path directory;

    @Override
    public Integer call() {
        if (MirrorDirectory.isOne(directory)) {
            return new MirroredCopies(flags, directory).clear();
        }
        CacheDirectory cache = CacheDirectory.at(directory);
        cache.clear();
        BesideTheLog beside = BesideTheLog.in(cache);
        beside.clear();
        flags.print(
                "cleared " + cache.path(),
                "cleared",
                node -> node.put("directory", cache.path().toString()));
        beside.nameForeign(flags);
        return 0;
    }
}
