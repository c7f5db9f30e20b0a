package io.penstock.store.s3;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.OptionalLibrary;
import io.penstock.output.OutputStore;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.internal.HttpReads;
import io.penstock.store.http.internal.RequestSigner;
import io.penstock.store.internal.ListLength;
import io.penstock.store.internal.Waiting;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * The objects below a prefix of a bucket: {@code s3://BUCKET/PREFIX}, in S3 or on any server that speaks its protocol.
 *
 * <p>Reads are those of {@link HttpStore}, signed. An entry's version is made of its entity tag, so an object that was
 * written again since it was listed is an error. Credentials are those of the usual chain: environment, profile, web
 * identity, container, instance. The prefix is a folder whether or not it ends with a slash. Objects whose keys end
 * with a slash are marks of folders, and are not listed.
 *
 * <p>It needs {@code software.amazon.awssdk:auth} and {@code http-auth-aws} on the class path, besides what HTTP needs.
 */
public final class S3Store implements Store, AutoCloseable {

    private static final Map<String, String> PAYS = Map.of("x-amz-request-payer", "requester");

    private final String name;
    private final String location;
    private final String prefix;
    private final HttpReads bucket;
    private final S3Address address;
    private final @Nullable Path lists;

    private S3Store(S3Address address, String name, HttpReads bucket, @Nullable Path lists) {
        this.address = address;
        this.lists = lists;
        String key = address.key();
        this.prefix = key.isEmpty() || key.endsWith("/") ? key : key + "/";
        this.name = name;
        this.location = name + prefix;
        this.bucket = bucket;
    }

    /** The store at an address with {@link HttpOptions#standard}. */
    public static S3Store at(S3Address address) {
        return at(address, HttpOptions.standard());
    }

    /**
     * The store at an address. No request is sent to it yet; the region may be looked for, which blocks.
     * @throws IllegalArgumentException if the endpoint is no address
     * @throws StoreException if the region is not known
     * @throws IllegalStateException if the AWS SDK or Reactor Netty is not on the class path
     */
    public static S3Store at(S3Address address, HttpOptions options) {
        OptionalLibrary.AWS.require(S3Store.class);
        OptionalLibrary.REACTOR_NETTY.require(S3Store.class);
        return signed(address, options, S3Signer::credentials);
    }

    static S3Store at(S3Address address, HttpOptions options, AwsCredentialsProvider credentials) {
        return signed(address, options, () -> credentials);
    }

    /** @param credentials makes providers that keep nothing of each other */
    static S3Store signed(
            S3Address address, HttpOptions options, Supplier<? extends AwsCredentialsProvider> credentials) {
        S3Endpoint endpoint = S3Endpoint.of(address, System::getenv);
        Map<String, String> also = address.isOn(S3Address.REQUESTER_PAYS) ? PAYS : Map.of();
        RequestSigner signer = address.isOn(S3Address.UNSIGNED)
                ? new Unsigned(also)
                : new S3Signer(credentials, endpoint.region(), also);
        return new S3Store(address, endpoint.name(), HttpReads.at(endpoint.base(), options, signer), null);
    }

    private record Unsigned(Map<String, String> also) implements RequestSigner {

        @Override
        public Mono<Map<String, String>> headers(String method, URI address, ByteBuffer body) {
            return Mono.just(also);
        }

        @Override
        public void refused(Map<String, String> headers) {
            // there are no others
        }
    }

    /**
     * The same store, connections shared, whose list is kept as a file in a local folder. A list that was kept is used
     * for a day if the first page of the list, at most 1000 objects, is as it was: one request. So an object that was
     * added behind it is not seen until then, and one that was written again or deleted is an error when it is read;
     * that error also drops the list, so opening the data again lists anew. The option {@code list-again} of the address
     * does so too.
     */
    public S3Store keepingLists(Path folder) {
        return new S3Store(address, name, bucket, folder);
    }

    /**
     * {@code s3://BUCKET/PREFIX/}; on another server than AWS's {@code s3+http://HOST:PORT/BUCKET/PREFIX/}, since buckets
     * of equal names on two servers are two.
     */
    @Override
    public String location() {
        return location;
    }

    /**
     * All objects below the prefix, in no order, each once. Prefixes of folders are listed at the same time. The list may
     * take half of the program's memory; a line of the log tells every 10 s how far it is. Blocks until done.
     * @throws StoreException if the bucket cannot be listed: its pages have no end, or name a key twice or a key outside
     *     the prefix
     */
    @Override
    public void list(Visitor visitor) {
        Pages pages = new Pages(bucket, location);
        ListPage first = Waiting.forValue(pages.first(prefix));
        Path folder = lists;
        if (folder == null || first.next() == null) {
            list(pages, first, entries -> tell(entries, visitor));
            return;
        }
        Fingerprint state = Fingerprint.of(
                Stream.concat(Stream.of("page"), first.objects().stream().map(ListPage.Listed::toString))
                        .toArray(String[]::new));
        KeptList kept = kept(folder);
        if (!address.isOn(S3Address.LIST_AGAIN) && kept.visit(state, visitor)) {
            return;
        }
        list(pages, first, entries -> {
            kept.add(entries);
            tell(entries, visitor);
        });
        kept.keep(state);
    }

    private KeptList kept(Path folder) {
        return new KeptList(folder, Fingerprint.of(bucket.location(), prefix));
    }

    private void list(Pages pages, ListPage first, Consumer<List<StoreEntry>> told) {
        ListLength length = ListLength.of(location);
        Waiting.forValue(pages.below(prefix, first)
                .publishOn(GuardedScheduler.ELASTIC, 1) // a visitor may block
                .doOnNext(page -> {
                    length.add(page.objects().stream().map(ListPage.Listed::key).toList());
                    told.accept(entries(page));
                })
                .then(Mono.just(true)));
    }

    private List<StoreEntry> entries(ListPage page) {
        List<StoreEntry> entries = new ArrayList<>(page.objects().size());
        for (ListPage.Listed object : page.objects()) {
            if (!object.key().endsWith("/")) {
                entries.add(below(new StoreEntry(object.key(), object.size(), HttpReads.version(object.etag()))));
            }
        }
        return entries;
    }

    private static void tell(List<StoreEntry> entries, Visitor visitor) {
        entries.forEach(entry -> visitor.file(entry.key(), entry.size(), entry.version()));
    }

    private StoreEntry below(StoreEntry entry) {
        return new StoreEntry(entry.key().substring(prefix.length()), entry.size(), entry.version());
    }

    private StoreEntry inBucket(StoreEntry entry) {
        return new StoreEntry(prefix + entry.key(), entry.size(), entry.version());
    }

    /**
     * The same place for finished outputs, connections shared. What is larger than 8 MiB goes up in parts, several at
     * the same time; closing it aborts what is not finished, and closes the connections.
     */
    public OutputStore output() {
        return outputs();
    }

    S3Output outputs() {
        return new S3Output(this, bucket, prefix);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return listed(entry, bucket.read(inBucket(entry)));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        return listed(entry, bucket.read(inBucket(entry), offset, length));
    }

    /** Drops the kept list where a read fails because its entry is not as it was listed. */
    private <T> Mono<T> listed(StoreEntry entry, Mono<T> read) {
        Path folder = lists;
        return folder == null
                ? read
                : read.onErrorResume(
                        StoreException.class,
                        failure -> entry(entry.key())
                                .map(entry::equals)
                                .defaultIfEmpty(false)
                                .onErrorReturn(true)
                                .filter(same -> !same)
                                .publishOn(GuardedScheduler.ELASTIC)
                                .doOnNext(changed -> kept(folder).drop())
                                .then(Mono.error(failure)));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return bucket.entry(prefix + key).map(this::below);
    }

    /** A line's entity tag is that of S3's lists. */
    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return bucket.entry(new Manifest.Line(
                        prefix + line.key(), line.bytes(), line.checksum(), line.etag(), line.label(), line.number()))
                .map(this::below);
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return bucket.find(prefix + key, max, maxLine);
    }

    /** Closes the connections; reads under way fail. */
    @Override
    public void close() {
        bucket.close();
    }

    /** The location. */
    @Override
    public String toString() {
        return location;
    }
}
