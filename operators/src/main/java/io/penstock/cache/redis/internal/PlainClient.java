package io.penstock.cache.redis.internal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A minimal client for a server: a few commands over a socket. Blocks. */
public final class PlainClient implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PlainClient.class);
    private static final int PATIENCE_MILLIS = 2_000;
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern PROCESS = Pattern.compile("(?m)^process_id:(\\d{1,18})\\s*$");

    private final Socket socket;
    private final InputStream in;

    private PlainClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects to a port of this node and says the password. */
    public static PlainClient connect(int port, Secret password) throws IOException {
        return connect(InetAddress.getLoopbackAddress().getHostAddress(), port, password);
    }

    /** Connects to a server and says the password. */
    static PlainClient connect(String host, int port, Secret password) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            PlainClient client = new PlainClient(socket);
            if (!password.isNone()) {
                client.login(host, port, password);
            }
            return client;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private void login(String host, int port, Secret password) throws IOException {
        try {
            ask("AUTH", password.reveal());
        } catch (RefusedException e) {
            throw new RefusedException(
                    "the server at %s:%d has another password than this node; give all nodes of a job the same"
                            .formatted(host, port));
        }
    }

    /** What a server answers in place of a result. */
    static final class RefusedException extends IOException {

        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /** The answer as text, a line for each element where it has several; an error's is thrown. */
    public String ask(String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$').append(word.getBytes(StandardCharsets.UTF_8).length);
            request.append("\r\n").append(word).append("\r\n");
        }
        socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
        return answer();
    }

    private String answer() throws IOException {
        String line = line();
        return switch (line.charAt(0)) {
            case '+', ':' -> line.substring(1);
            case '$' -> bulk(line.substring(1));
            case '*' -> answers(line.substring(1));
            default -> throw new RefusedException("redis-server says " + line);
        };
    }

    private String answers(String number) throws IOException {
        int count = number.matches("\\d{1,5}") ? Integer.parseInt(number) : 0;
        List<String> each = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            each.add(answer());
        }
        return String.join("\n", each);
    }

    private String bulk(String length) throws IOException {
        int bytes = length.matches("\\d{1,7}") ? Integer.parseInt(length) : 0;
        byte[] text = in.readNBytes(Math.min(bytes, MAX_BYTES));
        if (text.length < bytes || in.readNBytes(2).length < 2) {
            throw new EOFException("the server hung up");
        }
        return new String(text, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int letter = in.read(); letter != '\n'; letter = in.read()) {
            if (letter < 0 || line.length() > MAX_BYTES) {
                throw new EOFException("the server hung up");
            }
            line.append((char) letter);
        }
        String text = line.toString().strip();
        if (text.isEmpty()) {
            throw new IOException("redis-server said nothing");
        }
        return text;
    }

    long processId() throws IOException {
        Matcher id = PROCESS.matcher(ask("INFO", "server"));
        return id.find() ? Long.parseLong(id.group(1)) : -1;
    }

    /** Ends the server; it answers by hanging up. */
    void shutDown() throws IOException {
        try {
            ask("SHUTDOWN", "NOSAVE");
        } catch (EOFException | java.net.SocketException e) {
            // as it is to be
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a connection to redis failed", e);
        }
    }
}
