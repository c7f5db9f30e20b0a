package io.penstock.zarr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What numcodecs encoded, against the arrays it was given. */
class SharedCodecsTest {

    private static List<Path> list(Path folder, String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyEncodedFixture_decoded_isTheArrayItWasMadeOf() throws IOException {
        Path fixtures = Path.of(System.getProperty("penstock.data", "missing")).resolve("zarr/numcodecs");
        Assumptions.assumeTrue(Files.isDirectory(fixtures), "no shared data at " + fixtures.toAbsolutePath());
        List<String> wrong = new ArrayList<>();
        int decoded = 0;

        for (Path codec : list(fixtures, "")) {
            for (Path config : list(codec, "codec.")) {
                JsonNode settings = new ObjectMapper().readTree(Files.readAllBytes(config.resolve("config.json")));
                BytesToBytes read = Codecs.bytes(settings.get("id").asText(), settings);
                for (Path file : list(config, "encoded.")) {
                    String number = file.getFileName().toString().split("\\.", -1)[1];
                    byte[] wanted = payload(Files.readAllBytes(codec.resolve("array." + number + ".npy")));
                    try {
                        if (!Arrays.equals(read.decode(Files.readAllBytes(file), wanted.length), wanted)) {
                            wrong.add(file + ": other bytes");
                        }
                    } catch (RuntimeException e) {
                        wrong.add(file + ": " + e);
                    }
                    decoded++;
                }
            }
        }

        assertThat(wrong).as("of %d files", decoded).isEmpty();
        assertThat(decoded).isPositive();
    }

    /** The bytes behind the header of a .npy file. */
    private static byte[] payload(byte[] npy) {
        int header = ByteBuffer.wrap(npy).order(ByteOrder.LITTLE_ENDIAN).getShort(8) & 0xFFFF;
        return Arrays.copyOfRange(npy, 10 + header, npy.length);
    }
}
