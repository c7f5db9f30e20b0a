package io.penstock.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file for each sample. */
final class PlainFilesStore implements SampleStore {

    private final Path directory;

    PlainFilesStore(Path directory) throws IOException {
        this.directory = directory;
        for (int i = 0; i < 256; i++) {
            Files.createDirectories(directory.resolve(Integer.toString(i)));
        }
    }

    private Path file(long key) {
        return directory.resolve(Long.toString(key & 255)).resolve(Long.toString(key));
    }

    @Override
    public void put(long key, ByteBuffer value) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file(key), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(value.duplicate());
        }
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) throws IOException {
        try (FileChannel channel = FileChannel.open(file(key), StandardOpenOption.READ)) {
            ByteBuffer place = batch.slice(at, (int) channel.size());
            while (place.hasRemaining() && channel.read(place) >= 0) {
                // until it is full
            }
        }
    }
}
