package io.penstock.cli.source;

import io.penstock.cli.console.TemporaryFolder;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.output.OutputStore;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreAddress;
import io.penstock.store.http.HttpStore;
import io.penstock.store.mirror.MirroredStore;
import io.penstock.store.opendal.CloudAddress;
import io.penstock.store.s3.S3Address;
import io.penstock.store.s3.S3Store;
import io.penstock.store.zip.ZipStore;
import io.penstock.write.FolderOutput;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store as a flag names it: a folder, a zip file, an HTTP address, or a folder of a bucket or a cloud; or a file in one.
 *
 * @param text   what the flag says
 * @param mirror where its files are copied to, and read then; null where they are read in their place
 */
public record StorePlace(String text, @Nullable DiskSpec mirror) {

    /** Options of S3's addresses are no secrets. */
    private static final String SECRET_QUERY = "(\\b(?!s3:)[a-z][a-z0-9+-]*://[^?#]*)\\?[^#]*";

    public StorePlace(String text) {
        this(text, null);
    }

    /** The same, with a mirror. */
    StorePlace mirroredIn(DiskSpec folder) {
        if (!isRemote()) {
            throw new IllegalArgumentException(
                    "--mirror copies what is at an address, and images: and zarr: in a folder; %s is read where it is"
                            .formatted(this));
        }
        return new StorePlace(text, folder);
    }

    /** The same of a kind that is read as a store, in a folder too. */
    StorePlace folderMirroredIn(DiskSpec folder) {
        return !isRemote() && Files.isDirectory(path()) ? new StorePlace(text, folder) : mirroredIn(folder);
    }

    Store mirrored(Store store) {
        if (mirror == null) {
            return store;
        }
        MirroredStore near = MirroredStore.of(store, mirror.directory());
        ByteSize size = mirror.size();
        if (size == null) {
            return near;
        }
        return size.isShare() ? near.maxFreeShare(size.share()) : near.maxBytes(size.bytes());
    }

    record Located(Store store, String key) {}

    boolean isHttp() {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    boolean isS3() {
        return S3Address.isOne(text);
    }

    /** Whether it is in a bucket or a cloud, of which lists can be had. */
    boolean isObjects() {
        return isS3() || CloudAddress.isOne(text);
    }

    boolean isRemote() {
        return isHttp() || isObjects();
    }

    private StoreAddress address() {
        return isS3() ? S3Address.parse(text) : CloudAddress.parse(text);
    }

    Path path() {
        return Path.of(text);
    }

    Store open() {
        return open(null);
    }

    /**
     * The store that this is.
     * @param cache the directory of a cache, in which the list of a bucket is kept for the next run; null for none
     * @throws IllegalArgumentException if it is no address
     */
    Store open(@Nullable Path cache) {
        if (isRemote()) {
            return isZip() ? openCopy() : mirrored(at(text, cache));
        }
        return Files.isRegularFile(path()) ? openZip() : mirrored(FileStore.open(path()));
    }

    private ZipStore openZip() {
        try {
            return ZipStore.open(path());
        } catch (StoreException e) {
            if (isZip()) {
                throw e;
            }
            throw new StoreException(
                    "cannot open %s: a folder, a zip or an address was expected, it is a file".formatted(this), e);
        }
    }

    private static Store at(String address, @Nullable Path cache) {
        if (S3Address.isOne(address)) {
            return bucket(S3Address.parse(address), cache);
        }
        if (CloudAddress.isOne(address)) {
            return CloudAddress.parse(address).open();
        }
        URI base = uri(address);
        return HttpStore.at(base, SourceToken.options(base));
    }

    private static S3Store bucket(S3Address address, @Nullable Path cache) {
        S3Store bucket = S3Store.at(address);
        return cache == null ? bucket : bucket.keepingLists(cache.resolve(Sources.LISTS));
    }

    /** Checks that a job can write there, as far as the words say. */
    public void requireWritable() {
        if (isRemote() && !isS3()) {
            throw new IllegalArgumentException(
                    "cannot write to %s: %s takes no files; name a folder or s3://BUCKET/PREFIX"
                            .formatted(this, isHttp() ? "HTTP" : "OpenDAL's store"));
        }
        if (isS3()) {
            S3Address.parse(text);
        } else {
            path();
        }
    }

    /** The place for what a job writes; nothing is made or asked for yet. */
    public OutputStore output() {
        requireWritable();
        return isS3() ? S3Store.at(S3Address.parse(text)).output() : FolderOutput.making(path());
    }

    /** Its message has no query, which may be a signature. */
    private static URI uri(String address) {
        try {
            return new URI(address);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("%s is no address: %s at character %d"
                    .formatted(new StorePlace(address), e.getReason(), e.getIndex() + 1));
        }
    }

    /** Where the query of an HTTP address begins; behind the end if it has none. */
    private int query() {
        int query = isHttp() ? text.indexOf('?') : -1;
        return query < 0 ? text.length() : query;
    }

    /** Without the options of an address in S3, and without a query. */
    private String name() {
        return isObjects() ? address().name() : text.substring(0, query());
    }

    /** Whether an address in a bucket has neither a pattern nor a file's ending. */
    boolean mayBeFolder() {
        return !name().matches(".*[.*{?\\[].*");
    }

    /** The place of a name in this folder. */
    StorePlace below(String name) {
        if (!isObjects()) {
            return new StorePlace(path().resolve(name).toString(), mirror);
        }
        String folder = isS3() ? S3Address.parse(text).toString() : text.replaceFirst("\\?.*", "");
        // of a bucket alone S3's has one more character
        String options = text.substring(Math.min(text.length(), folder.length() - (text.startsWith(folder) ? 0 : 1)));
        return new StorePlace((folder.endsWith("/") ? folder : folder + "/") + name + options, mirror);
    }

    boolean isZip() {
        return name().endsWith(".zip") || isNpz();
    }

    boolean isNpz() {
        return name().endsWith(".npz");
    }

    boolean canBeListed() {
        return !isHttp() || isZip();
    }

    /** A zip's entries are found through its end, and then read here and there: it is fetched whole. */
    private Store openCopy() {
        Located zip = locate();
        if (zip.store() instanceof MirroredStore kept) {
            return openCopy(zip, kept);
        }
        try (TemporaryFolder folder = TemporaryFolder.make("penstock-zip-");
                MirroredStore copies = MirroredStore.of(zip.store(), folder.path())) {
            return openCopy(zip, copies); // what is open outlives its name
        }
    }

    private ZipStore openCopy(Located zip, MirroredStore copies) {
        Path copy = copies.entry(zip.key()).flatMap(copies::path).block();
        if (copy == null) {
            throw new StoreException("cannot open %s: no such file".formatted(this));
        }
        return ZipStore.openCopy(copy, zip.store().location() + zip.key());
    }

    boolean isManifest() {
        return isHttp() && name().endsWith(".jsonl");
    }

    HttpStore openManifest() {
        URI manifest = uri(text);
        return HttpStore.ofManifest(manifest, SourceToken.options(manifest));
    }

    /** Opens the file that this names: in the file system by its path, at an address by its store and key. */
    <R> R open(Function<Path, R> near, BiFunction<Store, String, R> far) {
        if (!isRemote()) {
            return near.apply(path());
        }
        Located file = locate();
        return far.apply(file.store(), file.key());
    }

    /** The file that this names at an address. */
    Located locate() {
        if (isObjects()) {
            StoreAddress file = address();
            Arguments.refuse(
                    file.name().isEmpty(), "%s is a folder: name a file in it, or a pattern such as shard-*.tar", file);
            return new Located(mirrored(file.parent().open()), file.name());
        }
        String address = name();
        int slash = address.lastIndexOf('/');
        if (slash == address.length() - 1) {
            throw new IllegalArgumentException(
                    "%s is a folder, and HTTP has no lists: name a file in it, or a range such as shard-{000..127}.tar"
                            .formatted(this));
        }
        String folder = address.substring(0, slash + 1) + text.substring(query());
        return new Located(mirrored(at(folder, null)), address.substring(slash + 1));
    }

    /** As {@link #locate}, of a file in the file system, too. */
    Located locateNear() {
        if (isRemote()) {
            return locate();
        }
        Path file = path().toAbsolutePath();
        Path folder = file.getParent();
        Path name = file.getFileName();
        if (folder == null || name == null || !Files.isRegularFile(file)) {
            throw new StoreException("cannot read %s: no such file".formatted(this));
        }
        return new Located(FileStore.open(folder), name.toString());
    }

    /**
     * The files of a table: one, those of a pattern, or all below a prefix of a bucket, whose key is then empty. Asks
     * the bucket whether there is an object of this name.
     * @param cache the directory of a cache, in which the list of a bucket is kept for the next run; null for none
     */
    Located locateTable(@Nullable Path cache) {
        if (!isObjects()) {
            return locate();
        }
        StoreAddress place = address();
        if (!place.name().isEmpty()) {
            Located file = locate();
            if (place.name().matches(".*[*?{\\[].*")
                    || file.store().entry(file.key()).block() != null) {
                return file;
            }
        }
        return new Located(mirrored(at(text, cache)), "");
    }

    /** What a flag says, as it may be printed: an address in it may have a password, and its query be a signature. */
    public static String withoutQuery(String words) {
        return words.replaceFirst("(://[^/?#:@]*):[^/?#@]*@", "$1@").replaceFirst(SECRET_QUERY, "$1?…");
    }

    @Override
    public String toString() {
        return withoutQuery(text);
    }
}
