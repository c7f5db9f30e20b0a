package io.penstock.cache.redis.internal;

import io.penstock.internal.AtomicFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A roster in a folder that all nodes share: a file for each node, which its processes write again every few seconds.
 * The age of a file is compared with that of this node's own, so that only the folder's clock counts.
 */
final class FolderRoster implements Roster {

    private static final Logger LOG = LoggerFactory.getLogger(FolderRoster.class);
    private static final String PREFIX = "node-";
    private static final long AGAIN = TimeUnit.SECONDS.toNanos(3);
    private static final long LATE_MILLIS = TimeUnit.SECONDS.toMillis(30);
    private static final long GONE_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private final Path folder;
    private @Nullable Member said;
    private long saidAt;

    FolderRoster(Path folder) {
        this.folder = folder;
    }

    /** The password that the folder keeps; the first that asks makes one. */
    static Secret password(Path folder) throws IOException {
        Path file = folder.resolve("password");
        if (Files.notExists(file)) {
            Path made = folder.resolve("password-" + UUID.randomUUID());
            Files.createFile(made, Registration.OWNER_ONLY);
            try {
                Files.writeString(made, Launch.random().reveal() + "\n");
                Files.createLink(file, made);
            } catch (FileAlreadyExistsException e) {
                LOG.debug("another node has made the password", e);
            } finally {
                Files.delete(made);
            }
        }
        return Secret.in(file);
    }

    @Override
    public Collection<Member> renew(Member self) throws IOException {
        Path own = file(self);
        if (said != null && !own.equals(file(said))) {
            close(); // another process of the node that has not ended says so again
        }
        if (!self.equals(said) || System.nanoTime() - saidAt > AGAIN || Files.notExists(own)) {
            AtomicFile.write(own, self.words(), Registration.OWNER_ONLY);
            said = self;
            saidAt = System.nanoTime();
        }
        long now = Files.getLastModifiedTime(own).toMillis();
        List<Member> there = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (Path file : files) {
                try {
                    Member member = Member.parse(Files.readString(file));
                    long age = now - Files.getLastModifiedTime(file).toMillis();
                    if (member != null && age < LATE_MILLIS) {
                        there.add(member);
                    } else if (age > GONE_MILLIS) {
                        Files.delete(file);
                    }
                } catch (NoSuchFileException e) {
                    LOG.debug("a node has just left", e);
                }
            }
        }
        return there;
    }

    private Path file(Member self) {
        return folder.resolve(PREFIX + self.name() + (self.ended() ? "-ended" : ""));
    }

    @Override
    public void close() {
        try {
            if (said != null) {
                Files.deleteIfExists(file(said));
            }
        } catch (IOException e) {
            LOG.debug("the file of this node stays", e);
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
