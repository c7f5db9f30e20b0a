package io.penstock.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One connection, and requests on it as they are written. */
final class Talk implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Socket socket;
    private final InputStream in;

    Talk(URI server) throws IOException {
        this.socket = new Socket(server.getHost(), server.getPort());
        socket.setSoTimeout(30_000);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void get(String path) throws IOException {
        send("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path).getBytes(StandardCharsets.US_ASCII));
    }

    /** Status and JSON of the next answer. */
    Answer answer() throws IOException {
        String status = line();
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        return new Answer(Integer.parseInt(status.split(" ", -1)[1]), JSON.readTree(in.readNBytes(length)));
    }

    Answer ask(String path) throws IOException {
        get(path);
        return answer();
    }

    record Answer(int status, JsonNode json) {}

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection is closed");
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
