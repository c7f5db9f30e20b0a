package io.penstock.cache.redis.internal;

import java.io.IOException;
import java.util.Collection;

/** Where the nodes of a job say that they are there. Its methods block; one thread at a time calls them. */
interface Roster extends AutoCloseable {

    /**
     * Says that a node is there, and returns those that are: this one too. To be called every second; a node that stops
     * is not returned any more after some time, or at the end of its processes.
     */
    Collection<Member> renew(Member self) throws IOException;

    /** Says no more; other processes of the node go on. */
    @Override
    void close();
}
