package io.penstock.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file for each sample. */
final class PlainFilesStore implements SampleStore {

    private final Path directory;

    PlainFilesStore(Path directory) {
        this.directory = directory;
        try {
            Files.createDirectory(directory);
            for (int i = 0; i < 256; i++) {
                Files.createDirectory(directory.resolve(Integer.toString(i)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(long key) {
        return directory.resolve(Long.toString(key & 255)).resolve(Long.toString(key));
    }

    @Override
    public void put(long key, ByteBuffer value) {
        try (FileChannel channel =
                FileChannel.open(file(key), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(value.duplicate());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) {
        try (FileChannel channel = FileChannel.open(file(key), StandardOpenOption.READ)) {
            ByteBuffer place = batch.slice(at, (int) channel.size());
            while (place.hasRemaining() && channel.read(place) >= 0) {
                // until it is full
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
