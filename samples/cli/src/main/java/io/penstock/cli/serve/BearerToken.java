package io.penstock.cli.serve;

import io.penstock.cli.console.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The bearer token that a server wants, from a file or the environment: an argument shows in the list of processes. */
final class BearerToken {

    private static final String VARIABLE = "PENSTOCK_TOKEN";
    private static final int MAX_BYTES = 4096;

    private BearerToken() {}

    /** The token in a file or, without one, in the environment; null where there is neither. */
    static @Nullable String read(@Nullable Path file) {
        if (file == null) {
            String token = System.getenv(VARIABLE);
            return token == null || token.isEmpty() ? null : token;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            String token = new String(bytes, StandardCharsets.UTF_8).strip();
            if (token.isEmpty() || bytes.length > MAX_BYTES) {
                throw new IllegalArgumentException("%s holds no token: 1 to %d bytes were expected, it has %s"
                        .formatted(file, MAX_BYTES, token.isEmpty() ? "none" : "more"));
            }
            return token;
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the token: " + Reason.of(e), e);
        }
    }
}
