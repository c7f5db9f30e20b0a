package io.penstock.store.internal;

import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The state of a path in the file system at one moment. Two equal states, one before a read and one after it, mean that
 * the read bytes are of one state of the file.
 *
 * <p>A sample's key holds size and modification time only, as {@link StoreEntry} does, since copying a data set changes
 * inode and change time. While a file is open those two count as well: they also reveal a write whose modification
 * time was set back, and of another file under the same name.
 *
 * @param kind     what lies at the path
 * @param size     in bytes
 * @param modified time of the last write, in nanoseconds since 1970
 * @param changed  time of the last change of contents or attributes; {@code modified} where the system has none
 * @param inode    0 where the system has none
 */
public record FileState(Kind kind, long size, long modified, long changed, long inode) {

    public enum Kind {
        FILE,
        LINK,
        OTHER;

        private static Kind of(boolean file, boolean link) {
            return file ? FILE : link ? LINK : OTHER;
        }
    }

    /** A tick of the kernel's clock is 10 ms at most, and a file's times are read from that clock. */
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(20);

    /** FAT counts time in steps of two seconds, old file systems in steps of one. */
    private static final long COARSE_TICK = TimeUnit.SECONDS.toNanos(2);

    private static final FileSystem LOCAL = FileSystems.getDefault();
    private static final boolean UNIX = LOCAL.supportedFileAttributeViews().contains("unix");
    private static final String ATTRIBUTES = "unix:isRegularFile,isSymbolicLink,size,lastModifiedTime,ctime,ino";

    /** The state of what a path names; a link is not followed. */
    public static FileState of(Path path) throws IOException {
        if (!UNIX || path.getFileSystem() != LOCAL) {
            var basic = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            long modified = version(basic);
            return new FileState(
                    Kind.of(basic.isRegularFile(), basic.isSymbolicLink()), basic.size(), modified, modified, 0);
        }
        Map<String, Object> all = Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
        return new FileState(
                Kind.of(value(all, "isRegularFile", Boolean.class), value(all, "isSymbolicLink", Boolean.class)),
                value(all, "size", Long.class),
                value(all, "lastModifiedTime", FileTime.class).to(TimeUnit.NANOSECONDS),
                value(all, "ctime", FileTime.class).to(TimeUnit.NANOSECONDS),
                value(all, "ino", Long.class));
    }

    /** The time of the last write, in nanoseconds since 1970. */
    public static long version(BasicFileAttributes attributes) {
        return attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
    }

    private static <T> T value(Map<String, Object> attributes, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(attributes.get(name), name));
    }

    public boolean isFile() {
        return kind == Kind.FILE;
    }

    /** Whether this is the state that was listed, as far as a listing has it. */
    public boolean isAsListed(long listedSize, long listedVersion) {
        return isFile() && size == listedSize && modified == listedVersion;
    }

    /**
     * How long a file changed just now must be left alone, at a time in nanoseconds since 1970: until the tick of its
     * last change is over, since a second write in that tick would not change the file's times. The call that made the
     * change sets them when it begins, so its bytes need that time, too. 0 for a file changed in the future, by another
     * clock.
     */
    public long unsettledNanos(long now) {
        long last = Math.max(modified, changed);
        long tick = last % TimeUnit.SECONDS.toNanos(1) == 0 ? COARSE_TICK : TICK;
        long age = now - last;
        return age <= -tick || age >= tick ? 0 : tick - age;
    }

    /** Blocks until the tick of the last change is over; at once for a file that was not changed just now. */
    public void settle() {
        for (long nanos = unsettledNanos(now()); nanos > 0; nanos = unsettledNanos(now())) {
            LockSupport.parkNanos(nanos);
        }
    }

    private static long now() {
        return ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    }
}
