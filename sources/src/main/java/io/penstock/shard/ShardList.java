package io.penstock.shard;

import io.penstock.cache.Fingerprint;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;

/** Archives one behind the other, numbered through: which one has an index, and which number it has there. */
final class ShardList {

    private final List<TarShard> shards;
    private final long[] firsts; // of each archive, then the number of all

    ShardList(List<TarShard> shards, ToIntFunction<Integer> sizes) {
        this.shards = List.copyOf(shards);
        this.firsts = new long[shards.size() + 1];
        for (int i = 0; i < shards.size(); i++) {
            firsts[i + 1] = firsts[i] + sizes.applyAsInt(i);
        }
    }

    long size() {
        return firsts[shards.size()];
    }

    int count() {
        return shards.size();
    }

    TarShard shard(int number) {
        return shards.get(number);
    }

    /** The last archive that begins at or before an index; empty ones share their first with the next. */
    int at(long index) {
        Objects.checkIndex(index, size());
        int low = 0;
        int high = shards.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (firsts[middle] <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    int within(long index, int shard) {
        return (int) (index - firsts[shard]);
    }

    Fingerprint fingerprint(String kind, String location) {
        String[] states = new String[shards.size()];
        for (int i = 0; i < states.length; i++) {
            TarShard shard = shards.get(i);
            states[i] = "%s %016x%016x %d"
                    .formatted(shard.name(), shard.key().high(), shard.key().low(), firsts[i + 1] - firsts[i]);
        }
        // as one word: a fingerprint is there to be printed
        return Fingerprint.of(kind, location, Fingerprint.of(states).hex());
    }
}
