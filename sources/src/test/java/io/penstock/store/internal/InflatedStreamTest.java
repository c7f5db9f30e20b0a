package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.store.internal.InflatedStream.Form;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InflatedStreamTest {

    private static final byte[] TEXT = "some text, some text, some text".getBytes(StandardCharsets.US_ASCII);

    private static byte[] packed(Form form, byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflated = form == Form.GZIP
                ? new GZIPOutputStream(out)
                : new DeflaterOutputStream(out, new Deflater(9, form == Form.RAW))) {
            deflated.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] joined(byte[] one, byte... other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private static byte[] inflated(Form form, byte[] packed) throws IOException {
        try (InflatedStream in = new InflatedStream(new ByteArrayInputStream(packed), form)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void read_oneMember_isWhatWasPacked(Form form) throws IOException {
        assertThat(inflated(form, packed(form, TEXT))).isEqualTo(TEXT);
        assertThat(inflated(form, packed(form, new byte[0]))).isEmpty();
        assertThat(inflated(form, packed(form, new byte[1_000_000]))).isEqualTo(new byte[1_000_000]);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void read_anyCut_endsTooEarly(Form form) throws IOException {
        byte[] packed = packed(form, TEXT);

        for (int length = 0; length < packed.length; length++) {
            byte[] cut = Arrays.copyOf(packed, length);
            assertThatThrownBy(() -> inflated(form, cut)).as("%d bytes", length).isInstanceOf(EOFException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void read_whatFollows_isNeverLeftOut(Form form) throws IOException {
        byte[] packed = packed(form, TEXT);

        assertThatThrownBy(() -> inflated(form, joined(packed, (byte) 'x')))
                .hasMessageContaining("at byte %d", packed.length);
        if (form == Form.RAW) {
            assertThatThrownBy(() -> inflated(form, joined(packed, packed))).isInstanceOf(IOException.class);
        } else {
            assertThat(inflated(form, joined(packed, packed))).isEqualTo(joined(TEXT, TEXT));
        }
    }

    @Test
    void read_headWithNameCommentAndMore_isPassedOver() throws IOException {
        byte[] packed = packed(Form.GZIP, TEXT);
        byte[] head = {31, (byte) 139, 8, 4 + 8 + 16, 0, 0, 0, 0, 0, 0, 2, 0, 7, 7, 'n', 0, 'c', 0};

        byte[] named = joined(head, Arrays.copyOfRange(packed, 10, packed.length));

        assertThat(inflated(Form.GZIP, named)).isEqualTo(TEXT);
        for (int method : new int[] {0, 7, 9}) {
            byte[] other = packed.clone();
            other[2] = (byte) method;
            assertThatThrownBy(() -> inflated(Form.GZIP, other)).hasMessageContaining("not deflated");
        }
    }

    @Property(tries = 300)
    void read_aFlippedBit_isSeenWhereTheJdkSeesIt(@ForAll byte[] bytes, @ForAll int bit) throws IOException {
        byte[] packed = packed(Form.GZIP, bytes);
        int at = Math.floorMod(bit, packed.length * 8);
        packed[at / 8] ^= (byte) (1 << at % 8);
        byte[] expected;
        try (GZIPInputStream jdk = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            expected = jdk.readAllBytes();
        } catch (IOException e) {
            assertThatThrownBy(() -> inflated(Form.GZIP, packed)).isInstanceOf(IOException.class);
            return;
        }
        assertThat(inflated(Form.GZIP, packed)).isEqualTo(expected);
    }
}
