package io.penstock.store.opendal;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.Digests;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.OptionalLibrary;
import io.penstock.internal.Thrown;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.ListLength;
import io.penstock.store.internal.Waiting;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.opendal.Entry;
import org.apache.opendal.Metadata;
import org.apache.opendal.OpenDALException;
import org.apache.opendal.Operator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;

/**
 * The objects below an address of a cloud or a server that Apache OpenDAL reads; see {@link CloudAddress} for which.
 *
 * <p>An entry's version is made of what the service tells of its state: the entity tag, else a version, else the time of
 * the last modification. An object that was written again since it was listed is an error. OpenDAL has no conditional
 * reads in Java, so a question for the state follows each read; not where all of an object was read, at most {@value
 * #MAX_DIGESTED} bytes, and the entity tag is their MD5, as S3's is, or a list told that, as those of GCS and Azure do:
 * it is kept of {@value #MAX_DIGESTS} objects, 72 bytes each. A service that tells nothing but a time in seconds can
 * change bytes of the same number within one of them unnoticed.
 *
 * <p>Faults that may pass are asked again, 6 times after waits of 0.1 to 10 s with jitter. What has no answer for two
 * minutes is an error. Credentials are those of the options, else of each service's usual places.
 *
 * <p>At most {@value #THREADS} threads of its own wait for answers; values come from Reactor's parallel scheduler.
 * Cancelling drops the answer, which still arrives.
 *
 * <p>Needs {@code org.apache.opendal:opendal} on the class path, and the same with the platform as classifier, such as
 * {@code linux-x86_64}.
 */
public final class OpenDalStore implements Store, AutoCloseable {

    private static final int RETRIES = 6;
    private static final Pattern STATUS = Pattern.compile("\\bstatus: (\\d{3})\\b");
    private static final int ASKED_AT_ONCE = 64;
    private static final int THREADS = 256;
    private static final int MAX_DIGESTED = 64 << 10; // more takes longer than to ask a near server
    private static final int MAX_DIGESTS = 100_000;
    private static final int TRIES = 16; // in a row, after which the tags of a service are taken to be no digests
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final String NO_ANSWER = "no answer for %d s".formatted(LONGEST.toSeconds());

    private final String location;
    private final Operator operator;
    private final Scheduler threads = GuardedScheduler.ofThreads(THREADS, "penstock-opendal");
    private final AtomicInteger otherTags = new AtomicInteger(); // in a row
    private final Map<Long, Long> digests = new ConcurrentHashMap<>(); // by the key and the version

    private OpenDalStore(String location, Operator operator) {
        this.location = location;
        this.operator = operator;
    }

    /**
     * The store at an address, whose key is a folder whether or not it ends with a slash. No request is sent yet.
     * @throws IllegalArgumentException if OpenDAL knows no such service, or an option is missing or wrong
     * @throws IllegalStateException if OpenDAL, or its library for this platform, is not on the class path
     */
    public static OpenDalStore at(CloudAddress address) {
        OptionalLibrary.OPENDAL.require(OpenDalStore.class);
        String name = address.toString();
        try {
            Operator operator = Operator.of(address.service(), address.config(System::getenv));
            return new OpenDalStore(name.endsWith("/") ? name : name + "/", operator);
        } catch (OpenDALException e) {
            throw new IllegalArgumentException("cannot open %s: %s".formatted(address, reason(e)), e);
        } catch (LinkageError | IllegalStateException e) {
            throw new IllegalStateException(
                    "OpenDAL's library for this platform cannot be loaded; add %s with its classifier, such as linux-x86_64"
                            .formatted(OptionalLibrary.OPENDAL.artifacts().get(0)),
                    e);
        }
    }

    /** The address without options and password, with a slash at its end. */
    @Override
    public String location() {
        return location;
    }

    /**
     * All objects below the address, folder by folder. The list may take half of the program's memory; a line of the log
     * tells every 10 s how far it is. Services whose lists do not tell what an object's state is are asked for each.
     */
    @Override
    public void list(Visitor visitor) {
        ListLength length = ListLength.of(location);
        Deque<String> folders = new ArrayDeque<>(List.of(""));
        Boolean telling = null; // whether a list tells what the question for one object tells
        while (!folders.isEmpty()) {
            String folder = folders.pop();
            List<Entry> found = Waiting.forValue(asked(folder, "list", () -> operator.list(folder + "/")));
            length.add(found.stream().map(Entry::getPath).toList());
            for (Entry entry : found) {
                String path = entry.getPath();
                String name = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
                if (name.equals(folder) || name.isEmpty()) {
                    continue;
                }
                if (!isKey(name)) {
                    throw new StoreException(
                            "cannot list %s: it has an object of the name \"%s\"".formatted(location, name));
                }
                if (entry.getMetadata().isDir() && visitor.folder(name)) {
                    folders.push(name);
                }
            }
            List<Entry> files =
                    found.stream().filter(entry -> entry.getMetadata().isFile()).toList();
            if (telling == null && !files.isEmpty()) {
                StoreEntry first = entryOf(files.get(0).getPath(), files.get(0).getMetadata());
                telling = first.equals(Waiting.forValue(present(first.key())));
            }
            boolean told = Boolean.TRUE.equals(telling);
            Waiting.forValue(Flux.fromIterable(files)
                            .flatMap(
                                    file -> told
                                            ? Mono.just(entryOf(file.getPath(), file.getMetadata()))
                                            : present(file.getPath()),
                                    ASKED_AT_ONCE)
                            .collectList())
                    .forEach(entry -> visitor.file(entry.key(), entry.size(), entry.version()));
        }
    }

    private StoreEntry entryOf(String key, Metadata metadata) {
        StoreEntry entry = new StoreEntry(key, Math.max(0, metadata.getContentLength()), version(metadata));
        String md5 = metadata.getContentMd5();
        if (md5 != null && entry.size() <= MAX_DIGESTED && digests.size() < MAX_DIGESTS) {
            digests.put(hash(entry), hashOfTag(md5));
        }
        return entry;
    }

    private static long hash(StoreEntry entry) {
        return Fingerprint.of(entry.key(), Long.toString(entry.version())).low();
    }

    private static long version(Metadata metadata) {
        if (metadata.getEtag() != null) {
            return hashOfTag(metadata.getEtag());
        }
        if (metadata.getVersion() != null) {
            return Fingerprint.of("version", metadata.getVersion()).low();
        }
        return metadata.getLastModified() == null
                ? 0
                : metadata.getLastModified().toEpochMilli();
    }

    private static long hashOfTag(String tag) {
        return Fingerprint.of("etag", tag).low();
    }

    /** An object that was just listed. */
    private Mono<StoreEntry> present(String key) {
        return entry(key)
                .switchIfEmpty(Mono.error(
                        () -> new StoreException("%s in %s was listed, and is gone".formatted(key, location))));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        long most = HeapLimit.of(HeapLimit.MAX_ARRAY, 2); // OpenDAL has a copy of its own
        return entry.size() > most ? Mono.error(() -> tooLong(entry, most)) : read(entry, 0, (int) entry.size());
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        String key = entry.key();
        if (!isKey(key)) {
            return Mono.error(() -> new StoreException("cannot read \"%s\" in %s: no key".formatted(key, location)));
        }
        Mono<byte[]> bytes =
                length == 0 ? Mono.just(new byte[0]) : asked(key, "read", () -> operator.read(key, offset, length));
        return bytes.flatMap(read -> hasListedDigest(entry, read)
                ? Mono.just(ByteBuffer.wrap(read))
                : entry(key)
                        .filter(now -> now.equals(entry) && read.length == length)
                        .switchIfEmpty(Mono.error(() -> new StoreException(
                                "%s in %s is not as it was listed; list it again".formatted(key, location))))
                        .map(now -> ByteBuffer.wrap(read)));
    }

    /**
     * Whether a list told the digest of these bytes, or the entity tag is: S3's is their MD5 unless it was written in
     * several parts.
     */
    private boolean hasListedDigest(StoreEntry entry, byte[] read) {
        @Nullable Long told = digests.get(hash(entry));
        if (read.length != entry.size() || read.length > MAX_DIGESTED || told == null && otherTags.get() >= TRIES) {
            return false;
        }
        byte[] md5 = Digests.of("MD5").digest(read);
        boolean same = told == null
                ? hashOfTag('"' + HexFormat.of().formatHex(md5) + '"') == entry.version()
                : told == hashOfTag(Base64.getEncoder().encodeToString(md5));
        otherTags.updateAndGet(others -> same ? 0 : others + 1);
        return same;
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return isKey(key)
                ? asked(key, "look at", () -> operator.stat(key))
                        .filter(Metadata::isFile)
                        .map(metadata -> entryOf(key, metadata))
                        .onErrorComplete(OpenDalStore::isNothing)
                : Mono.empty();
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return entry(key).flatMap(entry -> entry.size() > max ? Mono.error(() -> tooLong(entry, max)) : read(entry));
    }

    private StoreException tooLong(StoreEntry entry, long max) {
        return new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                .formatted(entry.key(), location, max, entry.size()));
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    /** Whether it is a path below the root: OpenDAL would take others for such a path. */
    private static boolean isKey(String key) {
        return !key.isEmpty() && key.indexOf('\0') < 0 && !("/" + key + "/").matches("(?s).*/\\.{0,2}/.*");
    }

    /** On a thread that waits: OpenDAL's own threads keep the values of its asynchronous calls until they end. */
    private <T> Mono<T> asked(String key, String verb, Callable<T> request) {
        return Mono.fromCallable(Thrown.callable(request))
                .subscribeOn(threads)
                .retryWhen(Retry.backoff(RETRIES, Duration.ofMillis(100))
                        .maxBackoff(Duration.ofSeconds(10))
                        .filter(OpenDalStore::mayPass)
                        .onRetryExhaustedThrow((retry, last) -> last.failure()))
                .onErrorMap(OpenDALException.class, e -> new StoreException(failed(key, verb, reason(e)), e))
                .timeout(LONGEST, Mono.error(() -> new StoreException(failed(key, verb, NO_ANSWER))))
                .publishOn(GuardedScheduler.PARALLEL);
    }

    private String failed(String key, String verb, String why) {
        return "cannot %s %s%s: %s".formatted(verb, location, key, why);
    }

    /** Of faults that OpenDAL has no name for in Java, only the status of the answer tells which stay. */
    private static boolean mayPass(Throwable failure) {
        return failure instanceof OpenDALException refused
                && (refused.getCode() == OpenDALException.Code.RateLimited
                        || refused.getCode() == OpenDALException.Code.Unexpected
                                && !status(refused).matches("4(?!08|29)\\d\\d"));
    }

    /** The first line of what OpenDAL says, and the status of an answer from the context that follows. */
    private static String reason(OpenDALException e) {
        String said = String.valueOf(e.getMessage());
        String status = status(e);
        return said.lines().findFirst().orElse("").strip() + (status.isEmpty() ? "" : ", status " + status);
    }

    private static String status(OpenDALException e) {
        Matcher status = STATUS.matcher(String.valueOf(e.getMessage()));
        return status.find() ? status.group(1) : "";
    }

    private static boolean isNothing(Throwable failure) {
        return failure.getCause() instanceof OpenDALException refused
                && (refused.getCode() == OpenDALException.Code.NotFound
                        || refused.getCode() == OpenDALException.Code.NotADirectory);
    }

    /** Closes the connections once reads under way have finished. Does not wait for them. */
    @Override
    public void close() {
        threads.disposeGracefully().doOnTerminate(operator::close).subscribe();
    }

    /** The location. */
    @Override
    public String toString() {
        return location;
    }
}
