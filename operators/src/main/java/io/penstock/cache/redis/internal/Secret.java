package io.penstock.cache.redis.internal;

import io.penstock.internal.FileErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A password. Only {@link #reveal} shows it, so that no log prints it by accident.
 *
 * @param reveal the password itself; empty for none
 */
public record Secret(String reveal) {

    public static final Secret NONE = new Secret("");

    public static Secret of(String text) {
        return new Secret(text);
    }

    /** The first line of a file. */
    public static Secret in(Path file) {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            return of(Objects.requireNonNullElse(lines.readLine(), ""));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot read the password file %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    public boolean isNone() {
        return reveal.isEmpty();
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
