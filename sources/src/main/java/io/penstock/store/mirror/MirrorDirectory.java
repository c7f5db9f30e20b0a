package io.penstock.store.mirror;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileWork;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FolderFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The directory of a {@link MirroredStore}, to look after it: what it holds, what is damaged, and how to empty it.
 *
 * <p>Threads: all methods block. Errors: {@link StoreException} where the directory cannot be read or written.
 */
public final class MirrorDirectory {

    private final Path directory;

    private MirrorDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * The complete copies of one source.
     *
     * @param folder the name of the folder that they lie in, a hash of where the source is
     */
    public record Held(String folder, long copies, long bytes) {

        private Held and(Held other) {
            return new Held(folder, copies + other.copies, bytes + other.bytes);
        }
    }

    /** Whether a directory is a mirror's. */
    public static boolean isOne(Path directory) {
        return Files.isRegularFile(directory.resolve(MirrorRoom.COUNTER));
    }

    /**
     * The directory of a mirror.
     * @throws StoreException if it is none
     */
    public static MirrorDirectory at(Path directory) {
        if (!isOne(directory)) {
            throw new StoreException("%s is not the folder of a mirror".formatted(directory));
        }
        return new MirrorDirectory(directory);
    }

    /** What it holds of each source. */
    public List<Held> sources() {
        return FileWork.get("cannot read the mirror " + directory, () -> {
            Map<String, Held> held = new TreeMap<>();
            for (Path part : MirrorRoom.parts(directory)) {
                String folder = FileNames.of(directory.relativize(part).getName(0));
                for (Path copy : MirrorRoom.copies(part)) {
                    held.merge(folder, new Held(folder, 1, MirrorNames.size(FileNames.of(copy))), Held::and);
                }
            }
            return List.copyOf(held.values());
        });
    }

    /** The copies whose bytes do not match their checksums, or that have none. The next read replaces such a copy. */
    public List<Path> damaged() {
        return FileWork.get("cannot read the mirror " + directory, () -> {
            List<Path> damaged = new ArrayList<>();
            for (Path part : MirrorRoom.parts(directory)) {
                damaged.addAll(FolderFiles.damaged(part, "*", MirrorRoom::isDamaged));
            }
            return damaged;
        });
    }

    /**
     * Deletes all complete copies. Other files stay, as do copies that a process is making. A process that has the
     * mirror open copies again what it reads.
     */
    public void clear() {
        FileWork.run("cannot clear the mirror " + directory, () -> {
            MirrorRoom room = new MirrorRoom(directory, MirrorLimit.NONE);
            try {
                room.clear();
            } finally {
                room.close();
            }
        });
    }

    @Override
    public String toString() {
        return "mirror " + directory;
    }
}
