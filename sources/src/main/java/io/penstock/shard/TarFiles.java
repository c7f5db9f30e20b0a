package io.penstock.shard;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.internal.StoreFiles;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The files of tar archives, each a sample; folders, links and devices left out.
 *
 * <p>Index 0 is the first file of the first archive. A sample's key is made of its archive's place and state and of its
 * offset. Memory: 20 bytes and its name a file. Read as the store reads, never on the caller.
 * @see TarShards#files
 */
public final class TarFiles implements Dataset<TarFile> {

    private final String location;
    private final ShardList shards;
    private final long maxBytes;

    private TarFiles(String location, ShardList shards, long maxBytes) {
        this.location = location;
        this.shards = shards;
        this.maxBytes = maxBytes;
    }

    static TarFiles of(StoreFiles archives, List<TarShard> shards, long maxBytes) {
        ShardList list = new ShardList(shards, i -> shards.get(i).index().size());
        if (list.size() == 0) {
            throw new StoreException("no files in %s: the tar archive is empty".formatted(archives));
        }
        return new TarFiles(archives.store().location(), list, maxBytes);
    }

    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return shards.fingerprint("tar files", location);
    }

    @Override
    public Mono<TarFile> get(long index) {
        int number = shards.at(index);
        TarShard shard = shards.shard(number);
        int file = shards.within(index, number);
        return Mono.defer(() -> shard.read(new int[] {file}, maxBytes))
                .map(bytes -> new TarFile(shard.index().name(file), bytes.get(0)));
    }

    /**
     * The archive, where in it, and the name: {@code shard-0.tar@512:train/1.jpg}. Its state is the archive's folder, size and
     * modification time.
     */
    @Override
    public SampleId id(long index) {
        int number = shards.at(index);
        TarShard shard = shards.shard(number);
        int file = shards.within(index, number);
        return SampleId.of(shard.key(file), () -> shard.name(file, shard.index().name(file)), shard::state);
    }

    @Override
    public String toString() {
        return "files of %d tar archives in %s, %d samples".formatted(shards.count(), location, size());
    }
}
