package io.penstock.store.s3;

import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.store.http.internal.HttpReads;
import io.penstock.store.internal.Waiting;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Outputs as objects below a prefix. */
final class S3Output implements OutputStore {

    private static final int PART_BYTES = 8 << 20;

    private final S3Store store;
    private final HttpReads bucket;
    private final String prefix;
    private final int partBytes;
    private final Set<S3Upload> unfinished = ConcurrentHashMap.newKeySet();

    S3Output(S3Store store, HttpReads bucket, String prefix) {
        this(store, bucket, prefix, PART_BYTES);
    }

    private S3Output(S3Store store, HttpReads bucket, String prefix, int partBytes) {
        this.partBytes = partBytes;
        this.store = store;
        this.bucket = bucket;
        this.prefix = prefix;
    }

    /** The same with parts of another size. */
    S3Output partBytes(int bytes) {
        return new S3Output(store, bucket, prefix, bytes);
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public String location(String name) {
        return store.location() + name;
    }

    @Override
    public UnfinishedOutput open(String name) {
        S3Upload upload = new S3Upload(bucket, partBytes, prefix + name, location(name), unfinished::remove);
        unfinished.add(upload);
        return upload;
    }

    @Override
    public Set<String> names() {
        return Waiting.forValue(new Pages(bucket, location())
                .at(prefix)
                .flatMapIterable(ListPage::objects)
                .map(object -> object.key().substring(prefix.length()))
                .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public boolean has(String name) {
        return Waiting.forValue(store.entry(name).hasElement());
    }

    @Override
    public Optional<byte[]> find(String name, int max) {
        return Waiting.forValue(store.find(name, max).map(ByteBuffer::array).singleOptional());
    }

    @Override
    public void close() {
        unfinished.forEach(S3Upload::close);
        store.close();
    }
}
