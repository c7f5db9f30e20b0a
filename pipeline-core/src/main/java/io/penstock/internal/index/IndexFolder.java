package io.penstock.internal.index;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.internal.NodeLock;
import io.penstock.internal.Notice;
import io.penstock.order.internal.Mixing;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the counts of one stage are kept. One process builds at a time; others wait, then find what it built. A file of
 * counts is named by the stage and by the dataset, so that the counts of an earlier state of the data are found as well:
 * samples whose keys are in them are not examined again.
 */
public final class IndexFolder implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(IndexFolder.class);

    private static final String FINISHED = ".index";
    private static final String SUMMARIES = ".summaries";
    private static final String PARTIAL = ".part";
    private static final String READING = "cannot read an index in ";
    private static final String KEEPING = "cannot keep an index in ";

    /** How many files of one stage are kept: those of other datasets, or of other states of this one. */
    private static final int KEPT = 8;

    /** Held with the lock on a file. Closing a channel drops the locks of the whole process on its file. */
    private static final Semaphore IN_THIS_JVM = new Semaphore(1);

    private final Path folder;
    private final String stage;
    private final Fingerprint fingerprint;
    private final FileChannel lock;
    private @Nullable Kept kept;

    private IndexFolder(Path folder, String stage, Fingerprint fingerprint, FileChannel lock) {
        this.folder = folder;
        this.stage = stage;
        this.fingerprint = fingerprint;
        this.lock = lock;
    }

    /** A file that is written here under the name of an unfinished one. */
    public abstract static sealed class Kept implements Closeable permits CountFile, Summaries {

        private final Path path;
        final FileChannel file;

        Kept(Path path) throws IOException {
            this.path = path;
            this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        /** Writes what was added, so that it outlives the process. */
        public abstract void flush() throws IOException;

        /** Gives the file its final name: all samples are in it. */
        private void finish(Path name) throws IOException {
            flush();
            file.force(true);
            AtomicFile.rename(path, name);
        }
    }

    /**
     * Opens the folder, or makes it, and waits until no other process builds counts of this stage there. Blocks.
     * @throws StoreException if it cannot be written, or the thread is interrupted
     */
    public static IndexFolder open(Path folder, String words, Fingerprint fingerprint) {
        String stage = "%016x".formatted(Mixing.hash(words));
        return FileWork.get(KEEPING + folder, () -> open(folder, words, stage, fingerprint));
    }

    private static IndexFolder open(Path folder, String words, String stage, Fingerprint fingerprint)
            throws IOException {
        try {
            IN_THIS_JVM.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while another build goes on");
        }
        FileChannel channel = null;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(
                    folder.resolve(stage + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (NodeLock.tryLock(channel, 0, false) == null) {
                LOG.info("another process builds the index of {} in {}; waiting for it", words, folder);
                NodeLock.lock(channel, 0);
            }
            return new IndexFolder(folder, stage, fingerprint, channel);
        } catch (IOException | RuntimeException e) {
            try {
                if (channel != null) {
                    channel.close();
                }
            } finally {
                IN_THIS_JVM.release();
            }
            throw e;
        }
    }

    private Path finished() {
        return finished(FINISHED);
    }

    private Path finished(String suffix) {
        return folder.resolve("%s-%s%s".formatted(stage, fingerprint.hex(), suffix));
    }

    /** The counts of a dataset of this fingerprint, added to what is empty; null if they are not there as a whole. */
    public <C> @Nullable C read(long samples, Supplier<C> empty, ObjIntConsumer<C> add) {
        if (!Files.isRegularFile(finished())) {
            return null;
        }
        C counts = empty.get();
        CountFile.Content content = FileWork.get(
                READING + folder,
                () -> CountFile.read(finished(), fingerprint, (key, count) -> add.accept(counts, count)));
        if (!content.whole()) {
            Notice.warn(LOG, "the index {} does not match its checksums; what is missing is counted again", finished());
        }
        return content.entries() == samples ? counts : null;
    }

    /**
     * The finished files in a folder that do not match their checksums. Blocks.
     * @throws StoreException if one cannot be read
     */
    public static List<Path> damaged(Path folder) {
        return FileWork.get(READING + folder, () -> {
            List<Path> damaged = new ArrayList<>();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + FINISHED)) {
                for (Path file : files) {
                    if (!CountFile.read(file, null, (key, count) -> {}).whole()) {
                        damaged.add(file);
                    }
                }
            } catch (NoSuchFileException e) {
                return damaged; // no folder yet
            }
            return damaged;
        });
    }

    /** What is known from earlier states of the data and from builds that did not end. */
    public Known known() {
        return FileWork.get(READING + folder, () -> {
            Known known = new Known();
            for (Path file : files()) {
                CountFile.read(file, null, known::put);
            }
            return known;
        });
    }

    /** The files of this stage, the newest first. */
    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().startsWith(stage + "-"))
                    .filter(Files::isRegularFile)
                    .sorted(Comparator.comparingLong(IndexFolder::modified).reversed())
                    .toList();
        }
    }

    private static long modified(Path file) {
        return file.toFile().lastModified(); // 0 if it is gone
    }

    /** A file for new counts, closed with this. */
    public CountFile create() {
        CountFile counts = FileWork.get(KEEPING + folder, () -> CountFile.create(partial(), fingerprint));
        kept = counts;
        return counts;
    }

    private Path partial() {
        return folder.resolve("%s-%s%s".formatted(stage, UUID.randomUUID(), PARTIAL));
    }

    /** The summaries of earlier states of the data and of passes that did not end, and a file for new ones, closed with this. */
    public Summaries summaries() {
        Summaries summaries = FileWork.get(KEEPING + folder, () -> Summaries.create(partial(), files()));
        kept = summaries;
        return summaries;
    }

    /**
     * Keeps a file that has the counts or summaries of all samples, and deletes what it makes superfluous. Where it cannot
     * be kept, the next build counts again.
     */
    public void finish(Kept file) {
        Path name = finished(file instanceof Summaries ? SUMMARIES : FINISHED);
        try {
            file.finish(name);
            int kept = 0;
            for (Path each : files()) {
                if (each.toString().endsWith(PARTIAL) || ++kept > KEPT) {
                    Files.deleteIfExists(each);
                }
            }
        } catch (IOException e) {
            Notice.warn(
                    LOG,
                    "cannot keep the index {}: {}; this run goes on, and the next one counts again",
                    name,
                    FileErrors.reason(e));
        }
    }

    /** Lets the next process build. */
    @Override
    public void close() throws IOException {
        try (lock) {
            if (kept != null) {
                kept.close();
            }
        } finally {
            IN_THIS_JVM.release();
        }
    }
}
