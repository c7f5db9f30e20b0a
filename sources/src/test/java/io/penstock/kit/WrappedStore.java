package io.penstock.kit;

import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import java.util.List;
import reactor.core.publisher.Mono;

/** Another store, all of it. A test overrides what is to be otherwise. */
public class WrappedStore implements Store {

    protected final Store source;

    public WrappedStore(Store source) {
        this.source = source;
    }

    @Override
    public String location() {
        return source.location();
    }

    @Override
    public void list(Visitor visitor) {
        source.list(visitor);
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return source.entry(key);
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return source.entry(line);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return source.read(entry);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        return source.read(entry, offset, length);
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return source.find(key, max, maxLine);
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return source.state(entry);
    }
}
