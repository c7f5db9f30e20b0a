package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class TarScanTest {

    private static List<TarMember> members(byte[] archive) {
        TarScan scan = new TarScan(TarMaker.tarBytes(archive), "x.tar");
        List<TarMember> members = new ArrayList<>();
        for (TarMember member = scan.next(); member != null; member = scan.next()) {
            members.add(member);
        }
        return members;
    }

    private static List<String> said(byte[] archive) {
        return members(archive).stream()
                .map(member -> "%s %s %d+%d".formatted(member.type(), member.name(), member.offset(), member.size()))
                .toList();
    }

    @Test
    void next_everyType_isToldWithoutFollowing() {
        byte[] archive = new TarMaker()
                .magic("\0\0\0\0\0\0\0\0")
                .member('\0', "old", "abc")
                .member('\0', "old/", "")
                .magic("ustar\00000")
                .member('7', "contiguous", "x")
                .member('1', "hard", 99, new byte[0])
                .member('2', "soft", "")
                .member('3', "device", "")
                .member('5', "folder", "")
                .member('D', "dump", "abc")
                .member('Z', "own", "d")
                .file("last", "e")
                .bytes();

        List<String> members = said(archive);

        assertThat(members)
                .containsExactly(
                        "FILE old 512+3",
                        "FOLDER old/ 1536+0",
                        "FILE contiguous 2048+1",
                        "LINK hard 3072+0",
                        "LINK soft 3584+0",
                        "OTHER device 4096+0",
                        "FOLDER folder 4608+0",
                        "OTHER dump 5120+3",
                        "OTHER own 6144+1",
                        "FILE last 7168+1");
    }

    @Test
    void next_longNames_areWhole() {
        String name = "n/".repeat(200) + "ü.jpg";
        byte[] archive = new TarMaker()
                .member('L', "././@LongLink", name + "\0")
                .member('K', "././@LongLink", "target\0")
                .file("short", "gnu")
                .pax('x', "path=" + name, "mtime=1.5", "comment=a=b")
                .file("short", "pax")
                .prefix("pre/fix")
                .file("ustar", "x")
                .magic("ustar  \0")
                .file("gnu", "x")
                .bytes();

        List<String> names = members(archive).stream().map(TarMember::name).toList();

        assertThat(names).containsExactly(name, name, "pre/fix/ustar", "gnu");
    }

    @Test
    void next_globalHeader_countsUntilTakenBack() {
        byte[] archive = new TarMaker()
                .pax('g', "path=all")
                .file("a", "1")
                .pax('x', "path=own")
                .file("b", "2")
                .pax('x', "path=")
                .file("c", "3")
                .file("d", "4")
                .bytes();

        List<String> names = members(archive).stream().map(TarMember::name).toList();

        assertThat(names).containsExactly("all", "own", "c", "all");
    }

    @Test
    void next_sizesInBase256AndPax_areTaken() {
        byte[] header = new TarMaker().header('0', "big", "");
        Arrays.fill(header, 124, 136, (byte) 0);
        header[124] = (byte) 0x80;
        header[134] = 2; // 512
        byte[] archive = new TarMaker()
                .raw(TarMaker.summed(header))
                .content(new byte[512])
                .pax('x', "size=3")
                .raw(new TarMaker().header('0', "pax", "00000000000"))
                .content(new byte[3])
                .bytes();

        List<String> members = said(archive);

        assertThat(members).containsExactly("FILE big 512+512", "FILE pax 2560+3");
    }

    @Test
    void next_signedChecksum_isTaken() {
        byte[] header = new TarMaker().header('0', "h", "0");
        header[265] = (byte) 0xFC; // of the owner's name
        int sum = 0;
        for (int i = 0; i < header.length; i++) {
            sum += i >= 148 && i < 156 ? ' ' : header[i];
        }
        TarMaker.put(header, 148, "%06o\0 ".formatted(sum));

        assertThat(members(header)).hasSize(1);
    }

    @Test
    void next_endsWithoutZeros_isTheEnd() {
        byte[] archive = new TarMaker().file("a", "x").open();

        assertThat(members(archive)).hasSize(1);
    }

    @Test
    void next_behindAnEndMark_goesOnInTheNextArchive() {
        byte[] first = new TarMaker().pax('g', "path=wrong").file("a", "x").bytes();
        byte[] second = new TarMaker().file("b", "yz").bytes();
        ByteBuffer both = ByteBuffer.allocate(first.length + 200 * 512 + second.length + 300);
        both.put(first).position(first.length + 200 * 512).put(second);

        assertThat(said(both.array()))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("FILE b")
                .endsWith("+2");
    }

    @Test
    void next_behindAnEndMark_leavesOutTheRemainsOfARecord() {
        byte[] archive = new TarMaker().file("a", "x").bytes();
        byte[] trailer = Arrays.copyOf(archive, archive.length + 5);
        trailer[archive.length] = 't';
        TarMaker maker = new TarMaker();
        for (int i = 0; i < 22; i++) {
            maker.file("f" + i, "");
        }
        byte[] record = Arrays.copyOf(maker.bytes(), 2 * 10_240);
        System.arraycopy(record, 24 * 512 - 10_240, record, 24 * 512, record.length - 24 * 512);

        assertThat(members(trailer)).hasSize(1);
        assertThat(members(record)).hasSize(22);
        byte[] archives = new byte[20 * 1024];
        for (int at = 0; at < archives.length; at += 2048) {
            System.arraycopy(archive, 0, archives, at, archive.length);
        }
        assertThat(members(archives)).as("ten equal archives").hasSize(10);
    }

    @Test
    void next_behindAnEndMark_refusesWhatIsNoArchive() {
        byte[] archive = new TarMaker().file("a", "x").bytes();
        byte[] both = Arrays.copyOf(archive, 2 * archive.length);
        System.arraycopy(archive, 0, both, archive.length, archive.length);
        both[archive.length] ^= 1;
        assertBroken(
                both,
                "x.tar has 2048 bytes behind its end mark that are no archive, or a damaged one (header at byte 2048);"
                        + " fetch it again");
    }

    @Test
    void next_nameThatIsNoUtf8_isRefused() {
        byte[] header = new TarMaker().header('0', "pr\u00E9.jpg", "0");
        byte[] pax = "11 path=b\u00E9\n".getBytes(StandardCharsets.ISO_8859_1);
        byte[] path =
                new TarMaker().member('x', "h", pax.length, pax).file("b", "").bytes();

        assertBroken(
                header,
                "x.tar has a file whose name is not UTF-8: \"pré.jpg\" in Latin-1; write the archive with names in"
                        + " UTF-8 (header at byte 0)");
        assertBroken(
                path,
                "x.tar has a file whose name is not UTF-8: \"bé\" in Latin-1; write the archive with names in UTF-8"
                        + " (header at byte 1024)");
        assertThat(members(new TarMaker().member('5', "\u00E9", "").bytes())).hasSize(1);
    }

    @Test
    void next_sparseFile_isRefused() {
        List<byte[]> archives = List.of(
                new TarMaker().magic("ustar  \0").member('S', "s", "data").bytes(),
                new TarMaker().pax('x', "GNU.sparse.size=9").file("s", "data").bytes(),
                new TarMaker()
                        .pax('x', "GNU.sparse.major=1", "GNU.sparse.name=t")
                        .file("s", "1\n0\n4\n")
                        .bytes(),
                new TarMaker().pax('g', "GNU.sparse.map=0,1").file("s", "data").bytes());

        for (byte[] archive : archives) {
            assertThatThrownBy(() -> members(archive))
                    .isInstanceOf(FormatException.class)
                    .hasMessageMatching(
                            "x.tar has the sparse file s, which is not read: write the archive again without"
                                    + " --sparse \\(header at byte (0|1024)\\)");
        }
        assertThat(members(new TarMaker()
                        .pax('x', "GNU.sparse.size=9")
                        .member('5', "f", "")
                        .bytes()))
                .hasSize(1);
    }

    @Test
    void next_broken_saysWhere() {
        assertBroken(new byte[100], "x.tar is no tar archive, or is cut off: has 100 bytes (header at byte 0)");
        assertBroken(
                "<!DOCTYPE html>".repeat(50).getBytes(StandardCharsets.US_ASCII),
                "x.tar is no tar archive: starts with 3C 21 44 4F (header at byte 0)");
        byte[] gzip = new byte[600];
        gzip[0] = 0x1F;
        gzip[1] = (byte) 0x8B;
        assertBroken(
                gzip,
                "x.tar is no tar archive: starts with 1F 8B 00 00; it is compressed: let its name end in .gz (header"
                        + " at byte 0)");
        assertBroken(
                new TarMaker().file("a", "x").raw(new byte[] {1}).bytes(),
                "x.tar has no header where the last member ends: its checksum is wrong (header at byte 1024); fetch it"
                        + " again");
        assertBroken(
                Arrays.copyOf(new TarMaker().file("a", "xyz").open(), 800),
                "x.tar is cut off after the bytes of its last member, at byte 800 (header at byte 1024); fetch it again");
        assertBroken(
                new TarMaker().member('0', "a", 5000, new byte[10]).bytes(),
                "x.tar is cut off: a has 5000 bytes from byte 512 on, the archive ends at 2048 (header at byte 0)");
        assertBroken(
                new TarMaker().member('x', "a", 2_000_000, new byte[10]).bytes(),
                "x.tar has an extended header of 2000000 bytes: the max is 1048576 (header at byte 0)");
        assertBroken(
                new TarMaker().member('L', "a", 5000, new byte[10]).bytes(),
                "x.tar ends in an extended header of 5000 bytes: 1536 are there (header at byte 0)");
        assertBroken(
                new TarMaker().member('x', "a", "99 path=b\n").file("b", "").bytes(),
                "x.tar has a pax record of a wrong length at byte 0 of its extended header (header at byte 1024)");
        assertBroken(
                new TarMaker().member('x', "a", "9 path-b\n").file("b", "").bytes(),
                "x.tar has a pax record without \"=\" at byte 0 of its extended header (header at byte 1024)");
        assertBroken(
                new TarMaker().pax('x', "size=-1").file("b", "").bytes(),
                "x.tar has a member whose pax size is no number: \"-1\" (header at byte 1024)");
        assertBroken(
                new TarMaker().pax('x', "size=1").bytes(),
                "x.tar ends after an extended header, which describes no member (header at byte 1024)");
        byte[] negative = new TarMaker().header('0', "a", "");
        negative[124] = (byte) 0xFF;
        assertBroken(
                TarMaker.summed(negative),
                "x.tar has a member whose size is no number, negative or beyond 2^63 (header at byte 0)");
    }

    private static void assertBroken(byte[] archive, String message) {
        assertThatThrownBy(() -> members(archive))
                .isInstanceOf(FormatException.class)
                .hasMessage(message);
    }

    /** Archives with all kinds of headers, in which some bytes are then changed and checksums made right again. */
    @Provide
    Arbitrary<byte[]> archives() {
        byte[] valid = new TarMaker()
                .pax('g', "comment=x")
                .file("a.jpg", "A")
                .member('L', "././@LongLink", "long/name.cls\0")
                .file("short", "1")
                .pax('x', "path=b.jpg", "size=3")
                .file("b", "abc")
                .file("c.x", "abc")
                .file("d.txt", new byte[600])
                .bytes();
        Arbitrary<List<Integer>> places =
                Arbitraries.integers().between(0, valid.length - 1).list().ofMaxSize(4);
        Arbitrary<List<Integer>> values = Arbitraries.oneOf(
                        Arbitraries.of((int) '0', (int) '9', (int) 'S', (int) 'x', 0, 255, 128, (int) '\n', (int) ' '),
                        Arbitraries.integers().between(0, 255))
                .list()
                .ofSize(4);
        Arbitrary<Integer> lengths = Arbitraries.integers().between(0, valid.length);
        return Combinators.combine(places, values, lengths, Arbitraries.of(true, false))
                .as((at, value, length, cut) -> {
                    byte[] damaged = cut ? Arrays.copyOf(valid, length) : valid.clone();
                    for (int i = 0; i < at.size(); i++) {
                        if (at.get(i) < damaged.length) {
                            damaged[at.get(i)] = value.get(i).byteValue();
                            resum(damaged, at.get(i) & -512);
                        }
                    }
                    return damaged;
                });
    }

    private static void resum(byte[] archive, int block) {
        if (block + 512 <= archive.length && archive[block + 257] == 'u') {
            byte[] header = TarMaker.summed(Arrays.copyOfRange(archive, block, block + 512));
            System.arraycopy(header, 0, archive, block, 512);
        }
    }

    @Property(tries = 3000)
    void scan_damagedArchive_staysWithinItAndSaysWhatIsWrong(@ForAll("archives") byte[] archive) {
        TarIndex index;
        try {
            index = TarIndex.scan(TarMaker.tarBytes(archive), "x.tar");
        } catch (FormatException e) {
            assertThat(e).hasMessageStartingWith("x.tar ");
            return;
        }
        for (int file = 0; file < index.size(); file++) {
            assertThat(index.offset(file)).isBetween(0L, (long) archive.length);
            assertThat(index.length(file)).isBetween(0L, archive.length - index.offset(file));
        }
        SampleTable table = SampleTable.of(index);
        assertThat(table.size()).isLessThanOrEqualTo(index.size());
    }

    /** What a global header says holds for all members that follow, so each of theirs begins with a copy of it. */
    @Test
    void next_globalHeadersOfInventedKeys_takeLittleMemory() {
        TarMaker archive = new TarMaker();
        for (int header = 0; header < 20; header++) {
            String[] records = new String[500];
            for (int i = 0; i < records.length; i++) {
                records[i] = "comment.%d.%d=x".formatted(header, i);
            }
            archive.pax('g', records);
        }
        for (int file = 0; file < 1000; file++) {
            archive.pax('x', "path=" + file).file("name", "");
        }
        byte[] bytes = archive.bytes();

        Hostile.bytes(() -> assertThat(members(bytes)).hasSize(1000));
    }
}
