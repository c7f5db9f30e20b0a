package io.penstock.store;

import io.penstock.fault.StoreException;
import java.nio.ByteBuffer;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Bytes by key and range. Implementations are thread-safe and never reach outside their root.
 *
 * <p>Reads are of an entry as it was listed: one that has changed since is a {@link StoreException}, so that a sample
 * never mixes two states of its source. Buffers are the reader's own, from position 0, and heap buffers have an array
 * of exactly their size.
 *
 * <p>What one store wraps of another it passes on whole: no method has a default that means anything. What only some
 * stores can do is a {@link LocalStore}, which a wrapper may leave out.
 */
public interface Store {

    /** Where this is, in words that name the same place in every process: a folder's real path, a base URI. */
    String location();

    /**
     * Tells a visitor all there is, in no particular order. Blocks until done.
     * @throws StoreException if something cannot be listed: a list with holes would renumber the samples
     */
    void list(Visitor visitor);

    /**
     * All bytes of an entry. Nothing is read before a subscription, and never on the subscribing thread if that blocks.
     * Errors are {@link StoreException}s.
     */
    Mono<ByteBuffer> read(StoreEntry entry);

    /**
     * A range of the bytes, for entries of which many ranges are read: the store may keep them open.
     * @throws IndexOutOfBoundsException if the range is not within the entry's size
     */
    Mono<ByteBuffer> read(StoreEntry entry, long offset, int length);

    /**
     * The entry that is at a key now, whether or not it was listed; empty if there is none. For sources whose keys
     * follow from what they have read, such as the chunks of an array. Errors, and the thread, are as for
     * {@link #read(StoreEntry)}.
     */
    Mono<StoreEntry> entry(String key);

    /**
     * As {@link #entry(String)}, for a line of a manifest of this store: where it says itself all that there is to
     * know, the store asks for nothing. A read fails if the bytes are not there, or not as the line says.
     */
    Mono<StoreEntry> entry(Manifest.Line line);

    /**
     * All bytes that are at a key now, in one go; empty if nothing is.
     * @param max bytes; more are a {@link StoreException}, before they take memory
     * @param maxLine bytes of a line; a store whose bytes may have no end stops where a line is longer, others need not
     *     look, since the caller checks all lines in any case; {@code Integer.MAX_VALUE} for bytes that are no text
     */
    Mono<ByteBuffer> find(String key, int max, int maxLine);

    /** The same for bytes that are no text. */
    default Mono<ByteBuffer> find(String key, int max) {
        return find(key, max, Integer.MAX_VALUE);
    }

    /**
     * An entry's state as two words for people: its size, and what its version is here. {@link StoreEntry#state} where
     * versions mean nothing to people.
     */
    List<String> state(StoreEntry entry);

    /** Is told what a store holds. */
    interface Visitor {

        /** A folder, before anything in it; returns whether to visit it. Stores without folders never call this. */
        default boolean folder(String key) {
            return true;
        }

        /** The values of one {@link StoreEntry}. */
        void file(String key, long size, long version);
    }
}
