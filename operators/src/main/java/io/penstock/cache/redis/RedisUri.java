package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.Secret;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code scheme://user:password@host:port,host:port/database?key=value&key=value} in its parts. What it complains of
 * never has the part before the {@code @} in it, nor a parameter's value.
 */
record RedisUri(String scheme, String login, String rest, Map<String, String> parameters) {

    private static final Pattern WHOLE =
            Pattern.compile("(?<scheme>[a-z-]+):(//)?((?<login>[^/?#]*)@)?(?<rest>[^?#@]*)(\\?(?<parameters>[^#]*))?");
    private static final Pattern HOST =
            Pattern.compile("(\\[(?<six>[0-9a-fA-F:.]+)]|(?<name>[A-Za-z0-9._-]+))(:(?<port>\\d{1,5}))?");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(B|KiB|MiB|GiB|TiB)");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s)");
    private static final int MAX_PORT = 65_535;

    static RedisUri parse(String text) {
        Matcher whole = WHOLE.matcher(text);
        if (!whole.matches()) {
            throw wrong("it has not that form");
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        String words = whole.group("parameters");
        for (String word : words == null ? new String[0] : words.split("&", -1)) {
            int equal = word.indexOf('=');
            if (equal <= 0) {
                throw wrong("a parameter has no value");
            }
            parameters.put(word.substring(0, equal), plain(word.substring(equal + 1)));
        }
        return new RedisUri(whole.group("scheme"), text(whole.group("login")), text(whole.group("rest")), parameters);
    }

    private static IllegalArgumentException wrong(String why) {
        return new IllegalArgumentException(
                "a cache in redis is redis://HOST:PORT, rediss://…, redis-cluster://…, redis-sentinel://…,"
                        + " spawn:SIZE or spawn-all:SIZE, with ?name=…&key=value: "
                        + why);
    }

    private static String text(@Nullable String group) {
        return group == null ? "" : group;
    }

    private static String plain(String escaped) {
        try {
            return URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong("a %-escape in it is not of two hexadecimal digits");
        }
    }

    /** The user, empty if there is none. */
    String user() {
        int colon = login.indexOf(':');
        return plain(colon < 0 ? login : login.substring(0, colon));
    }

    Secret password() {
        int colon = login.indexOf(':');
        return colon < 0 ? Secret.NONE : Secret.of(plain(login.substring(colon + 1)));
    }

    Address address() {
        boolean tls = scheme.startsWith("rediss");
        Address.Kind kind = switch (scheme) {
            case "redis", "rediss" -> Address.Kind.SERVERS;
            case "redis-cluster", "rediss-cluster" -> Address.Kind.CLUSTER;
            case "redis-sentinel", "rediss-sentinel" -> Address.Kind.SENTINELS;
            default -> throw wrong("it begins with \"" + scheme + "\"");
        };
        int slash = rest.indexOf('/');
        String hosts = slash < 0 ? rest : rest.substring(0, slash);
        String database = slash < 0 ? "" : rest.substring(slash + 1);
        if (!database.matches("\\d{0,6}")) {
            throw wrong("what follows the slash is not a database's number");
        }
        String master = parameters.getOrDefault("master", "");
        if (kind == Address.Kind.SENTINELS && master.isEmpty()) {
            throw wrong("sentinels are asked for a master by its name; say ?master=NAME");
        }
        if (kind != Address.Kind.SENTINELS && !master.isEmpty()) {
            throw wrong("master=NAME is for redis-sentinel://");
        }
        if (kind == Address.Kind.CLUSTER && !database.isEmpty() && Integer.parseInt(database) != 0) {
            throw wrong("a cluster has no databases but 0");
        }
        int standard = kind == Address.Kind.SENTINELS ? 26_379 : 6_379;
        List<Address.Host> all = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            all.add(host(host, standard));
        }
        return new Address(kind, all, tls, database.isEmpty() ? 0 : Integer.parseInt(database), master);
    }

    private static Address.Host host(String text, int standard) {
        Matcher host = HOST.matcher(text);
        if (!host.matches()) {
            throw wrong("a host is missing or is not HOST:PORT");
        }
        String port = host.group("port");
        int number = port == null ? standard : Integer.parseInt(port);
        if (number < 1 || number > MAX_PORT) {
            throw wrong("a port must be in [1, 65535], was " + number);
        }
        return new Address.Host(host.group("six") != null ? host.group("six") : host.group("name"), number);
    }

    @Nullable Duration time(String parameter) {
        String text = parameters.get(parameter);
        if (text == null) {
            return null;
        }
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            throw wrong(parameter + " must be a time such as 500ms or 2s");
        }
        long number = Long.parseLong(time.group(1));
        return time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    static long size(String what, String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw wrong(what + " must be a size such as 512MiB or 2GiB");
        }
        int shift = switch (size.group(2)) {
            case "KiB" -> 10;
            case "MiB" -> 20;
            case "GiB" -> 30;
            case "TiB" -> 40;
            default -> 0;
        };
        long number = Long.parseLong(size.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw wrong(what + " is more than 2^63 bytes");
        }
        return number << shift;
    }

    int number(String parameter) {
        String text = parameters.getOrDefault(parameter, "");
        if (!text.matches("\\d{1,9}")) {
            throw wrong(parameter + " must be a number");
        }
        return Integer.parseInt(text);
    }

    /** @throws IllegalArgumentException if a parameter is none of these */
    void allow(List<String> known) {
        for (String parameter : parameters.keySet()) {
            if (!known.contains(parameter)) {
                throw wrong("it knows no parameter \"%s\", but %s".formatted(parameter, String.join(", ", known)));
            }
        }
    }

    @Override
    public String toString() {
        return scheme + ":" + rest;
    }
}
