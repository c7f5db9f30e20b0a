package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.Secret;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a tier deals with its servers.
 *
 * @param user          of the servers; empty for the default one
 * @param password      of the user
 * @param certificates  that are trusted, in a PEM file; null for those the JVM trusts
 * @param verify        what of a server's certificate is compared
 * @param timeout       after which a server is slow
 * @param leaseTime     after which one whose owner says nothing is free
 * @param maxValueBytes of the largest value that is put
 * @param pendingBytes  that may wait to be sent before puts complete later
 */
record Settings(
        String user,
        Secret password,
        @Nullable Path certificates,
        Verify verify,
        Duration timeout,
        Duration leaseTime,
        int maxValueBytes,
        long pendingBytes) {

    private static final int CONNECTING = 10;

    /** What of a certificate is compared. */
    enum Verify {
        NONE,
        CA,
        FULL
    }

    static final Settings STANDARD = new Settings(
            "", Secret.NONE, null, Verify.FULL, Duration.ofSeconds(2), Duration.ofSeconds(10), 64 << 20, 32L << 20);

    Settings login(String name, Secret secret) {
        return new Settings(name, secret, certificates, verify, timeout, leaseTime, maxValueBytes, pendingBytes);
    }

    Settings trust(@Nullable Path file, Verify how) {
        return new Settings(user, password, file, how, timeout, leaseTime, maxValueBytes, pendingBytes);
    }

    Settings times(Duration slow, Duration lease) {
        return new Settings(user, password, certificates, verify, slow, lease, maxValueBytes, pendingBytes);
    }

    Settings bytes(int value, long pending) {
        return new Settings(user, password, certificates, verify, timeout, leaseTime, value, pending);
    }

    /**
     * How long a connection may take until the server has greeted. In a new process the client loads its classes
     * meanwhile, which takes a second of processor time and says nothing about the server.
     */
    Duration connecting() {
        return timeout.multipliedBy(CONNECTING);
    }

    /** Without who one is there. */
    @Override
    public String toString() {
        return "time-out %s, leases of %s, values of at most %d bytes".formatted(timeout, leaseTime, maxValueBytes);
    }
}
