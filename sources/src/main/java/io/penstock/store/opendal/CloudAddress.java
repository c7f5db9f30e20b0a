package io.penstock.store.opendal;

import io.penstock.internal.Arguments;
import io.penstock.store.StoreAddress;
import io.penstock.store.internal.AddressOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code SCHEME://PLACE/KEY?OPTION=VALUE&…}: an object or a folder in a cloud or on a server.
 *
 * <table>
 * <caption>The schemes</caption>
 * <tr><td>{@code gs://BUCKET/KEY}</td><td>Google Cloud Storage</td></tr>
 * <tr><td>{@code az://CONTAINER/KEY}</td><td>Azure Blob Storage, of the account in {@code AZURE_STORAGE_ACCOUNT}</td></tr>
 * <tr><td>{@code hf://datasets/OWNER/NAME/KEY}</td><td>a repository of the Hugging Face Hub; {@code NAME@REVISION}</td></tr>
 * <tr><td>{@code webdav://HOST:PORT/KEY}, {@code webdavs://…}</td><td>WebDAV over HTTP, and over HTTPS</td></tr>
 * <tr><td>{@code webhdfs://HOST:PORT/KEY}</td><td>Hadoop's file system</td></tr>
 * <tr><td>{@code sftp://USER@HOST:PORT/KEY}</td><td>SFTP</td></tr>
 * <tr><td>{@code opendal+SERVICE://BUCKET/KEY}</td><td>any other service of OpenDAL; {@code bucket} where it is given</td></tr>
 * </table>
 *
 * <p>Options are those of OpenDAL's service, and go before what the address and the environment say. The key is taken
 * as it stands, without escapes; values may have escapes.
 *
 * @param scheme  as it stands before {@code ://}
 * @param place   what follows, as far as the schemes above say
 * @param key     of an object, or a prefix that ends with a slash; may be empty
 * @param options of the service
 * @see <a href="https://opendal.apache.org/docs/services">OpenDAL, services</a>
 */
public record CloudAddress(String scheme, String place, String key, Map<String, String> options)
        implements StoreAddress {

    private static final String ANY = "opendal+";
    private static final Pattern FORM =
            Pattern.compile("([a-z0-9+-]+)://([^?]*)(?:\\?(" + AddressOptions.FORM + "))?", Pattern.DOTALL);

    /** What a scheme stands for. */
    private enum Scheme {
        GS("gcs", "BUCKET"),
        AZ("azblob", "CONTAINER"),
        HF("huggingface", "datasets/OWNER/NAME"),
        WEBDAV("webdav", "HOST"),
        WEBDAVS("webdav", "HOST"),
        WEBHDFS("webhdfs", "HOST:PORT"),
        SFTP("sftp", "USER@HOST"),
        OTHER("", "");

        private final String service;
        private final String form;

        Scheme(String service, String form) {
            this.service = service;
            this.form = form;
        }

        private static Optional<Scheme> of(String scheme) {
            return Arrays.stream(values())
                    .filter(known -> known == OTHER ? scheme.startsWith(ANY) : scheme.equals(known.word()))
                    .findFirst();
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public CloudAddress {
        options = Map.copyOf(options);
        Arguments.refuse(
                Scheme.of(scheme).isEmpty(),
                "no address begins with %s://; there are %s and opendal+SERVICE://",
                scheme,
                Arrays.stream(Scheme.values())
                        .filter(known -> known != Scheme.OTHER)
                        .map(known -> known.word() + "://")
                        .collect(Collectors.joining(", ")));
    }

    /** Whether a text begins as such an address does. */
    public static boolean isOne(String text) {
        int end = text.indexOf("://");
        return end > 0 && Scheme.of(text.substring(0, end)).isPresent();
    }

    /**
     * The parts of an address.
     * @throws IllegalArgumentException if it is none
     */
    public static CloudAddress parse(String text) {
        Matcher form = FORM.matcher(text);
        String shown = text.replaceFirst("\\?.*", "?…");
        Arguments.refuse(!form.matches(), "an address is SCHEME://PLACE/KEY, was \"%s\"", shown);
        String scheme = form.group(1);
        String wanted = Scheme.of(scheme).orElse(Scheme.OTHER).form;
        String place = wanted.isEmpty() ? "[^/]*" : wanted.replaceAll("[^/]+", "[^/]+");
        Matcher path =
                Pattern.compile("(" + place + ")(?:/(.*))?", Pattern.DOTALL).matcher(form.group(2));
        Arguments.refuse(
                !path.matches(),
                "an address of this kind is %s://%s/KEY, was \"%1$s://%3$s\"",
                scheme,
                wanted,
                form.group(2));
        String key = Objects.requireNonNullElse(path.group(2), "");
        return new CloudAddress(scheme, path.group(1), key, AddressOptions.parse(form.group(3)));
    }

    @Override
    public CloudAddress parent() {
        return new CloudAddress(scheme, place, key.substring(0, key.lastIndexOf('/') + 1), options);
    }

    @Override
    public OpenDalStore open() {
        return OpenDalStore.at(this);
    }

    /** What OpenDAL calls the service. */
    String service() {
        return scheme.startsWith(ANY) ? scheme.substring(ANY.length()) : known().service;
    }

    private Scheme known() {
        return Scheme.of(scheme).orElseThrow();
    }

    /** What OpenDAL is told of the service. */
    Map<String, String> config(UnaryOperator<@Nullable String> environment) {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("root", "/" + key);
        switch (known()) {
            case GS, OTHER -> put(config, "bucket", place);
            case AZ -> {
                config.put("container", place);
                String account = options.getOrDefault("account_name", environment.apply("AZURE_STORAGE_ACCOUNT"));
                if (account != null) {
                    config.put("account_name", account);
                    config.put("endpoint", "https://" + account + ".blob.core.windows.net");
                } else if (!options.containsKey("endpoint")) {
                    throw new IllegalArgumentException(
                            "%s needs an account: set AZURE_STORAGE_ACCOUNT, or add ?account_name=NAME"
                                    .formatted(this));
                }
                put(config, "account_key", environment.apply("AZURE_STORAGE_KEY"));
                put(config, "sas_token", environment.apply("AZURE_STORAGE_SAS_TOKEN"));
            }
            case HF -> {
                String[] parts = place.split("[/@]", 4);
                config.put("repo_type", parts[0].replaceFirst("s$", ""));
                config.put("repo_id", parts[1] + "/" + parts[2]);
                put(config, "revision", parts.length > 3 ? parts[3] : null);
                put(config, "token", environment.apply("HF_TOKEN"));
            }
            case WEBDAV -> server(config, "http://", "username");
            case WEBDAVS -> server(config, "https://", "username");
            case WEBHDFS -> server(config, "http://", "user_name");
            case SFTP -> server(config, "", "user");
        }
        config.putAll(options);
        return config;
    }

    private void server(Map<String, String> config, String before, String option) {
        int at = place.lastIndexOf('@');
        config.put("endpoint", before + place.substring(at + 1));
        if (at >= 0) {
            String[] user = place.substring(0, at).split(":", 2);
            config.put(option, user[0]);
            put(config, "password", user.length > 1 ? user[1] : null);
        }
    }

    private static void put(Map<String, String> config, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            config.put(name, value);
        }
    }

    /** Without the options, and without a password. */
    @Override
    public String toString() {
        return "%s://%s/%s".formatted(scheme, place.replaceFirst(":[^@]*@", "@"), key);
    }
}
