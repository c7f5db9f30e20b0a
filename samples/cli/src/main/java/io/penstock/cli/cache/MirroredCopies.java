package io.penstock.cli.cache;

import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.store.mirror.MirrorDirectory;
import java.nio.file.Path;
import java.util.List;

/** What the commands below {@code penstock cache} do in the folder of a mirror. */
record MirroredCopies(OutputFlags flags, Path directory, MirrorDirectory mirror) {

    MirroredCopies(OutputFlags flags, Path directory) {
        this(flags, directory, MirrorDirectory.at(directory));
    }

    int inspect() {
        List<MirrorDirectory.Held> sources = mirror.sources();
        long copies = sources.stream().mapToLong(MirrorDirectory.Held::copies).sum();
        long bytes = sources.stream().mapToLong(MirrorDirectory.Held::bytes).sum();
        flags.print(
                "%s: a mirror of %d sources: %d copies, %s"
                        .formatted(directory, sources.size(), copies, ByteSize.roundedUp(bytes)),
                "mirror",
                node -> node.put("directory", directory.toString())
                        .put("sources", sources.size())
                        .put("copies", copies)
                        .put("bytes", bytes));
        sources.forEach(held -> flags.print(
                "%s: %d copies, %s".formatted(held.folder(), held.copies(), ByteSize.roundedUp(held.bytes())),
                "copies",
                node -> node.put("folder", held.folder())
                        .put("copies", held.copies())
                        .put("bytes", held.bytes())));
        return 0;
    }

    int verify() {
        List<Path> damaged = mirror.damaged();
        damaged.stream()
                .map(file -> directory.relativize(file).toString())
                .forEach(file -> flags.print(
                        "damaged: %s: does not match its checksums".formatted(file),
                        "damage",
                        node -> node.put("segment", file)
                                .put("position", 0)
                                .put("what", "does not match its checksums")));
        long copies = mirror.sources().stream()
                .mapToLong(MirrorDirectory.Held::copies)
                .sum();
        long bytes =
                mirror.sources().stream().mapToLong(MirrorDirectory.Held::bytes).sum();
        flags.print(
                "%d copies of %s read, %d damaged".formatted(copies, ByteSize.roundedUp(bytes), damaged.size()),
                "verified",
                node -> node.put("entries", copies).put("bytes", bytes).put("damaged", damaged.size()));
        if (!damaged.isEmpty()) {
            flags.complain(
                    "%d copies are damaged; the mirror copies them again when they are read".formatted(damaged.size()));
            return 1;
        }
        return 0;
    }

    int clear() {
        mirror.clear();
        flags.print("cleared " + directory, "cleared", node -> node.put("directory", directory.toString()));
        return 0;
    }
}
