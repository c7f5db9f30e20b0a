package io.penstock.store.opendal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.penstock.internal.Digests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Objects in memory behind what a reader asks of WebDAV, of WebHDFS and of Google Cloud Storage, with faults. */
final class CloudServer implements AutoCloseable {

    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
    private static final Pattern NUMBER = Pattern.compile("(offset|length)=(\\d+)");
    private static final String HDFS = "/webhdfs/v1/";
    private static final String GCS = "/storage/v1/b/data/o";

    /** What goes wrong with an answer. */
    enum Fault {
        NONE,
        UNAVAILABLE,
        TOO_MANY,
        RESET,
        TRUNCATED,
        INTERNAL
    }

    /** Decides about the n-th request. */
    interface Faults {
        Fault of(int request);
    }

    /** Bytes, and how often they were written. */
    @SuppressWarnings("ArrayRecordComponent")
    record Item(byte[] bytes, int version) {}

    final NavigableMap<String, Item> objects = new ConcurrentSkipListMap<>();
    final AtomicInteger requests = new AtomicInteger();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Faults faults = number -> Fault.NONE;

    private CloudServer(HttpServer server) {
        this.server = server;
    }

    static CloudServer start() throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        CloudServer server = new CloudServer(http);
        http.setExecutor(server.threads);
        http.createContext("/", server::answer);
        http.start();
        return server;
    }

    void faults(Faults some) {
        faults = some;
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    CloudAddress webdav() {
        return CloudAddress.parse("webdav://" + host() + "/set");
    }

    CloudAddress webhdfs() {
        return CloudAddress.parse("webhdfs://" + host() + "/set/?disable_list_batch=true");
    }

    CloudAddress gcs() {
        return CloudAddress.parse(
                "gs://data/set?allow_anonymous=true&disable_vm_metadata=true&disable_config_load=true&endpoint=http://"
                        + host());
    }

    void put(String key, byte[] bytes) {
        objects.merge(key, new Item(bytes, 1), (old, now) -> new Item(now.bytes, old.version + 1));
    }

    void putAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                put("set/" + folder.relativize(file), Files.readAllBytes(file));
            }
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Fault fault = faults.of(requests.getAndIncrement());
            exchange.getRequestBody().readAllBytes();
            switch (fault) {
                case RESET -> {}
                case UNAVAILABLE -> send(exchange, 503, "later", fault);
                case TOO_MANY -> send(exchange, 429, "slower", fault);
                case INTERNAL -> send(exchange, 500, "broken", fault);
                case NONE, TRUNCATED -> {
                    String path = exchange.getRequestURI().getPath();
                    if (path.startsWith(HDFS)) {
                        hdfs(exchange, path.substring(HDFS.length()), fault);
                    } else if (path.startsWith(GCS)) {
                        gcs(exchange, path.substring(GCS.length()), fault);
                    } else {
                        webdav(exchange, path.substring(1), fault);
                    }
                }
            }
        }
    }

    /** The names of what is directly in a folder, those of folders with a slash at the end. */
    private Set<String> children(String folder) {
        Set<String> children = new LinkedHashSet<>();
        for (String key : objects.tailMap(folder).keySet()) {
            if (!key.startsWith(folder)) {
                break;
            }
            children.add(key.substring(folder.length()).replaceFirst("/.*", "/"));
        }
        return children;
    }

    private void webdav(HttpExchange exchange, String path, Fault fault) throws IOException {
        String folder = path.isEmpty() || path.endsWith("/") ? path : path + "/";
        boolean isFolder = !objects.containsKey(path) && !children(folder).isEmpty();
        if (!objects.containsKey(path) && !isFolder) {
            send(exchange, 404, "", fault);
        } else if (exchange.getRequestMethod().equals("PROPFIND")) {
            StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">");
            text.append(properties(isFolder ? folder : path));
            if (isFolder && "1".equals(exchange.getRequestHeaders().getFirst("Depth"))) {
                children(folder).forEach(child -> text.append(properties(folder + child)));
            }
            send(exchange, 207, text.append("</D:multistatus>").toString(), fault);
        } else if (isFolder) {
            send(exchange, 405, "", fault);
        } else {
            range(exchange, objects.get(path).bytes, fault);
        }
    }

    private String properties(String path) {
        Item item = objects.get(path);
        String state = item == null
                ? "<D:resourcetype><D:collection/></D:resourcetype>"
                : "<D:resourcetype/><D:getcontentlength>%d</D:getcontentlength><D:getetag>\"%d\"</D:getetag>"
                        .formatted(item.bytes.length, item.version);
        return ("<D:response><D:href>/%s</D:href><D:propstat><D:prop>%s<D:getlastmodified>%s</D:getlastmodified></D:prop>"
                        + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")
                .formatted(
                        path,
                        state,
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(time(item).atOffset(ZoneOffset.UTC)));
    }

    private static Instant time(@org.jspecify.annotations.Nullable Item item) {
        return Instant.ofEpochSecond(1_700_000_000 + (item == null ? 0 : item.version));
    }

    private void hdfs(HttpExchange exchange, String path, Fault fault) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        String folder = path.isEmpty() || path.endsWith("/") ? path : path + "/";
        Item item = objects.get(path);
        if (item == null && (query.contains("op=OPEN") || children(folder).isEmpty())) {
            send(
                    exchange,
                    404,
                    "{\"RemoteException\":{\"exception\":\"FileNotFoundException\",\"message\":\"none\"}}",
                    fault);
        } else if (query.contains("op=OPEN")) {
            int offset = 0;
            int length = item.bytes.length;
            for (Matcher number = NUMBER.matcher(query); number.find(); ) {
                int value = Integer.parseInt(number.group(2));
                if (number.group(1).equals("offset")) {
                    offset = value;
                } else {
                    length = value;
                }
            }
            int end = Math.min(item.bytes.length, offset + length);
            send(exchange, 200, Arrays.copyOfRange(item.bytes, offset, end), fault);
        } else if (query.contains("op=LISTSTATUS")) {
            String all = children(folder).stream()
                    .map(child -> status(folder + child, child.replace("/", "")))
                    .collect(Collectors.joining(","));
            send(exchange, 200, "{\"FileStatuses\":{\"FileStatus\":[" + all + "]}}", fault);
        } else {
            send(exchange, 200, "{\"FileStatus\":" + status(path, "") + "}", fault);
        }
    }

    private String status(String path, String name) {
        Item item = objects.get(path);
        return ("{\"length\":%d,\"modificationTime\":%d,\"pathSuffix\":\"%s\",\"type\":\"%s\",\"accessTime\":0,\"blockSize\":0,"
                        + "\"group\":\"g\",\"owner\":\"o\",\"permission\":\"644\",\"replication\":1,"
                        + "\"childrenNum\":0,\"fileId\":1}")
                .formatted(
                        item == null ? 0 : item.bytes.length,
                        time(item).toEpochMilli(),
                        name,
                        item == null ? "DIRECTORY" : "FILE");
    }

    private void gcs(HttpExchange exchange, String path, Fault fault) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (path.isEmpty()) {
            Map<String, String> asked = Arrays.stream(query.split("&"))
                    .map(each -> each.split("=", 2))
                    .collect(Collectors.toMap(each -> each[0], each -> each.length > 1 ? each[1] : ""));
            String prefix = asked.getOrDefault("prefix", "");
            String items = children(prefix).stream()
                    .filter(child -> !child.endsWith("/"))
                    .map(child -> described(prefix + child))
                    .collect(Collectors.joining(","));
            String prefixes = children(prefix).stream()
                    .filter(child -> child.endsWith("/"))
                    .map(child -> "\"" + prefix + child + "\"")
                    .collect(Collectors.joining(","));
            send(exchange, 200, "{\"prefixes\":[" + prefixes + "],\"items\":[" + items + "]}", fault);
            return;
        }
        Item item = objects.get(path.substring(1));
        if (item == null) {
            send(exchange, 404, "{\"error\":{\"code\":404,\"message\":\"none\"}}", fault);
        } else if (query.contains("alt=media")) {
            range(exchange, item.bytes, fault);
        } else {
            send(exchange, 200, described(path.substring(1)), fault);
        }
    }

    private String described(String key) {
        Item item = objects.get(key);
        return ("{\"name\":\"%s\",\"size\":\"%d\",\"etag\":\"e%d\",\"md5Hash\":\"%s\",\"updated\":\"%s\",\"contentType\":\"a/b\","
                        + "\"generation\":\"%d\"}")
                .formatted(
                        key,
                        item.bytes.length,
                        item.version,
                        Base64.getEncoder().encodeToString(Digests.of("MD5").digest(item.bytes)),
                        time(item),
                        item.version);
    }

    private void range(HttpExchange exchange, byte[] bytes, Fault fault) throws IOException {
        String asked = exchange.getRequestHeaders().getFirst("Range");
        Matcher range = RANGE.matcher(String.valueOf(asked));
        if (!range.matches()) {
            send(exchange, 200, bytes, fault);
            return;
        }
        int from = Integer.parseInt(range.group(1));
        int to = range.group(2).isEmpty()
                ? bytes.length - 1
                : Math.min(bytes.length - 1, Integer.parseInt(range.group(2)));
        exchange.getResponseHeaders().set("Content-Range", "bytes %d-%d/%d".formatted(from, to, bytes.length));
        send(exchange, 206, Arrays.copyOfRange(bytes, from, to + 1), fault);
    }

    private static void send(HttpExchange exchange, int status, String text, Fault fault) throws IOException {
        send(exchange, status, text.getBytes(StandardCharsets.UTF_8), fault);
    }

    private static void send(HttpExchange exchange, int status, byte[] bytes, Fault fault) throws IOException {
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (fault == Fault.TRUNCATED) {
            exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
            throw new IOException("cut");
        }
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
