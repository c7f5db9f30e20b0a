package io.penstock.cache.chronicle.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Deletes or closes what dead processes left in a directory. Only for a process that is alone there. */
public final class Recovery {

    private final CacheFiles files;
    private final Segments segments;
    private final Space space;

    public Recovery(CacheFiles files, Segments segments, Space space) {
        this.files = files;
        this.segments = segments;
        this.space = space;
    }

    /** Deletes segments that a process made and did not write to. */
    public static void removeHeadless(CacheFiles files) throws IOException {
        for (Path log : files.logs()) {
            for (Path segment : files.segments(log)) {
                if (isHeadless(segment)) {
                    Files.delete(segment);
                }
            }
        }
    }

    private static boolean isHeadless(Path segment) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ)) {
            java.nio.ByteBuffer word = java.nio.ByteBuffer.allocate(LogEntry.WORD);
            return channel.read(word, 0) < LogEntry.WORD || word.getInt(0) == 0;
        } catch (AccessDeniedException e) {
            return false; // it stays as it is
        }
    }

    /** Deletes the segments that hold nothing that is needed; the bytes that the others take. */
    public long used() throws IOException {
        long used = 0;
        for (Segment segment : segments.all()) {
            if (segments.isSpent(segment)) {
                segments.drop(segment);
                Files.deleteIfExists(segment.file);
            } else {
                long end = LogWriter.pages(segment.walked + 2L * LogEntry.WORD);
                if (!segment.sealed) {
                    space.trim(segment.file, end, Files.size(segment.file));
                    segment.sealed = true;
                }
                used += end;
            }
        }
        for (Path log : files.logs()) {
            files.deleteIfEmpty(log);
        }
        return used + (long) LogWriter.LOG_BYTES * files.logs().size();
    }
}
