package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FileErrorsTest {

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new AccessDeniedException("/a"), "permission denied"),
                Arguments.of(new NoSuchFileException("/a"), "no such file or folder"),
                Arguments.of(new NotDirectoryException("/a"), "not a folder"),
                Arguments.of(new FileSystemException("/a", null, "No space left on device"), "No space left on device"),
                Arguments.of(new EOFException(), "EOFException"),
                Arguments.of(new IOException("broken"), "broken"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void reason_ofAFailure_isNoPath(IOException failure, String reason) {
        assertThat(FileErrors.reason(failure)).isEqualTo(reason);
    }
}
