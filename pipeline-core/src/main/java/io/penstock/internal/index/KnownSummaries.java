package io.penstock.internal.index;

import io.penstock.cache.SampleKey;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The summaries that are in files, read from there when they are asked for. Memory: about 100 bytes a summary. */
public final class KnownSummaries implements Closeable {

    private final List<FileChannel> files = new ArrayList<>();
    private final Map<SampleKey, Place> places = new HashMap<>();

    private record Place(FileChannel file, long offset, int length) {}

    private KnownSummaries() {}

    static KnownSummaries of(List<Path> paths) throws IOException {
        KnownSummaries known = new KnownSummaries();
        try {
            for (Path path : paths) {
                FileChannel file = FileChannel.open(path);
                known.files.add(file);
                SummaryFile.read(path, (key, offset, length) -> known.places.put(key, new Place(file, offset, length)));
            }
            return known;
        } catch (IOException | RuntimeException e) {
            known.close();
            throw e;
        }
    }

    public boolean has(SampleKey key) {
        return places.containsKey(key);
    }

    /** The summary of a key that is known. */
    public byte[] get(SampleKey key) throws IOException {
        Place place = places.get(key);
        if (place == null) {
            throw new IllegalArgumentException("no summary of " + key);
        }
        ByteBuffer bytes = ByteBuffer.allocate(place.length);
        while (bytes.hasRemaining()) {
            if (place.file.read(bytes, place.offset + bytes.position()) < 0) {
                throw new EOFException("a file of summaries was cut while it was read");
            }
        }
        return bytes.array();
    }

    @Override
    public void close() throws IOException {
        for (FileChannel file : files) {
            file.close();
        }
    }
}
