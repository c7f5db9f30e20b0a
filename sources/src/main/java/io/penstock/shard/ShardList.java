package io.penstock.shard;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.PartNumbers;
import io.penstock.store.internal.RecordGroup;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Archives whose samples are numbered on from one to the next. */
final class ShardList {

    private final List<TarShard> shards;
    private final PartNumbers numbers;

    ShardList(List<TarShard> shards, IntToLongFunction sizes) {
        this.shards = List.copyOf(shards);
        this.numbers = new PartNumbers(shards.size(), sizes);
    }

    long size() {
        return numbers.size();
    }

    int count() {
        return shards.size();
    }

    TarShard shard(int number) {
        return shards.get(number);
    }

    /** The archive that has an index. */
    int at(long index) {
        return numbers.part(index);
    }

    int within(long index, int shard) {
        return (int) numbers.within(index, shard);
    }

    /** How many samples are loaded together. */
    int groupSize() {
        return RecordGroup.size(shards.stream().map(TarShard::bytes).toList(), size());
    }

    Fingerprint fingerprint(String kind, String location) {
        String[] states = new String[shards.size()];
        for (int i = 0; i < states.length; i++) {
            TarShard shard = shards.get(i);
            states[i] = "%s %016x%016x %d"
                    .formatted(shard.name(), shard.key().high(), shard.key().low(), numbers.size(i));
        }
        // as one word: a fingerprint is there to be printed
        return Fingerprint.of(kind, location, Fingerprint.of(states).hex());
    }
}
