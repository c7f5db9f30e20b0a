package io.penstock.cache.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.DType;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots under several processes at once, some of which are killed. */
class SlotProcessesTest {

    private static final int MAX_ROUNDS = 20;

    private final SlotsFixture fixture = new SlotsFixture();
    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process child : children) {
            child.destroyForcibly().waitFor();
        }
        fixture.close();
    }

    private Process start(String mode, SlotLayout layout, int number) throws IOException {
        Process child = SlotChild.start(fixture.file, mode, layout.samples(), layout.sampleBytes(), number);
        children.add(child);
        return child;
    }

    private static Tensor tensor(SlotLayout layout, ByteBuffer bytes) {
        return Tensor.of(DType.U8, layout.shape(), bytes);
    }

    @Tag("repeated")
    @Test
    void slots_processesAtOnce_neverGiveAWrongByte() throws Exception {
        SlotLayout layout = SlotLayout.of(1_000, DType.U8, 60_000);
        List<Process> racing = new ArrayList<>();
        for (int number = 0; number < (Boolean.getBoolean("penstock.endurance") ? 4 : 2); number++) {
            racing.add(start("race", layout, number));
        }

        for (Process child : racing) {
            assertThat(child.inputReader().readLine()).isEqualTo("wrong 0");
            assertThat(child.waitFor()).isZero();
        }

        try (SharedSlots slots = SharedSlots.at(fixture.file).open(layout)) {
            assertThat(slots.size()).isEqualTo(1_000);
            for (int i = 0; i < 1_000; i++) {
                assertThat(slots.get(i)).contains(SlotChild.sample(layout, i, 0));
            }
        }
    }

    /** Killed in the middle of a slot of 32 MiB, or at a random moment. */
    @Tag("repeated")
    @Test
    void writer_killedWhileWriting_leavesNothingWrongAndBlocksNobody() throws Exception {
        SlotLayout layout = SlotLayout.of(4, DType.U8, 32 << 20);
        SplittableRandom random = new SplittableRandom(7);
        int halfWritten = 0;
        int rounds = Boolean.getBoolean("penstock.endurance") ? 6 : 2;
        for (int round = 0; round < rounds || round < MAX_ROUNDS && halfWritten == 0; round++) {
            Process writer = start("write", layout, round);
            assertThat(writer.inputReader().readLine()).isEqualTo("ready");
            if (round % 2 == 0) {
                waitWhileNobodyWrites(layout, round / 2 % 4);
            } else {
                LockSupport.parkNanos(random.nextLong(1_000_000, 100_000_000));
            }
            writer.destroyForcibly().waitFor();

            SlotView face = SlotChild.face(fixture.file, layout, round);
            for (int i = 0; i < 4; i++) {
                ByteBuffer found = face.get(i);
                Tensor expected = SlotChild.sample(layout, i, round);
                if (found != null) {
                    assertThat(tensor(layout, found).equals(expected))
                            .as("round %d, slot %d", round, i)
                            .isTrue();
                } else {
                    halfWritten += isBeingWritten(layout, i) ? 1 : 0;
                    assertThat(face.accepts(i)).isTrue();
                    assertThat(face.put(i, Encoded.of(expected.data()))).isEqualTo(SlotView.Outcome.HELD);
                    assertThat(tensor(layout, face.get(i)).equals(expected)).isTrue();
                }
            }
            forget(face);
        }
        assertThat(halfWritten).as("kills that left a slot half written").isPositive();
    }

    private void forget(SlotView face) throws IOException {
        face.close();
        java.nio.file.Files.delete(fixture.file);
    }

    private void waitWhileNobodyWrites(SlotLayout layout, int slot) {
        try (SlotFile file = SlotFile.open(fixture.file, layout, there -> Long.MAX_VALUE)) {
            MappedEntries slots = file.slots();
            while ((slots.piece(slot).getLong(slots.at(slot)) & 3) == 0) {
                LockSupport.parkNanos(100_000);
            }
        }
    }

    private boolean isBeingWritten(SlotLayout layout, int slot) {
        try (SlotFile file = SlotFile.open(fixture.file, layout, there -> Long.MAX_VALUE)) {
            MappedEntries slots = file.slots();
            return (slots.piece(slot).getLong(slots.at(slot)) & 3) == 1;
        }
    }

    @Test
    void staleSample_whileAnotherProcessLooksAtIt_staysUntilThatOneIsGone() throws Exception {
        SlotLayout layout = SlotLayout.of(20, DType.U8, 50_000);
        Process looker = start("look", layout, 1);
        BufferedReader answers = looker.inputReader();
        assertThat(answers.readLine()).isEqualTo("ready");
        SlotView changed = SlotChild.face(fixture.file, layout, 2);

        for (int i = 0; i < 20; i++) {
            assertThat(changed.get(i)).as("another stage's sample").isNull();
            assertThat(changed.accepts(i)).isFalse();
            assertThat(changed.put(i, Encoded.of(SlotChild.sample(layout, i, 2).data())))
                    .isEqualTo(SlotView.Outcome.REFUSED);
        }
        looker.outputWriter().append('?').flush();
        assertThat(answers.readLine()).isEqualTo("same");

        looker.destroyForcibly().waitFor(300, TimeUnit.SECONDS);
        while (!changed.accepts(0)) {
            LockSupport.parkNanos(1_000_000); // who was seen lately is not looked for again at once
        }
        for (int i = 0; i < 20; i++) {
            assertThat(changed.put(i, Encoded.of(SlotChild.sample(layout, i, 2).data())))
                    .isEqualTo(SlotView.Outcome.HELD);
            assertThat(tensor(layout, changed.get(i))).isEqualTo(SlotChild.sample(layout, i, 2));
        }
    }

    /** Two processes with the same samples are no danger to each other, and none to a third one's stale samples. */
    @Test
    void staleSamples_ofAProcessThatEnded_areOverwrittenByAll() throws Exception {
        SlotLayout layout = SlotLayout.of(20, DType.U8, 50_000);
        Process before = start("look", layout, 1);
        assertThat(before.inputReader().readLine()).isEqualTo("ready");
        before.destroyForcibly().waitFor();
        Process mate = start("look", layout, 2);
        assertThat(mate.inputReader().readLine()).isEqualTo("ready");

        SlotView face = SlotChild.face(fixture.file, layout, 2);

        assertThat(face.samples()).isEqualTo(20);
        for (int i = 0; i < 20; i++) {
            assertThat(tensor(layout, face.get(i))).isEqualTo(SlotChild.sample(layout, i, 2));
        }
    }

    /** Interpreted, a compare-and-set runs in the virtual machine's own code, which a page that is gone ends. */
    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:-TieredCompilation"})
    void file_cutShorterWhileAnotherProcessHasIt_endsNoProcess(String compiler) throws Exception {
        assertOutlivesCut(compiler);
    }

    @Test
    void file_cutShorterWhileAnotherProcessHasIt_endsNoProcess() throws Exception {
        assertOutlivesCut("-XX:TieredStopAtLevel=1");
    }

    private void assertOutlivesCut(String compiler) throws Exception {
        SlotLayout layout = SlotLayout.of(4, DType.U8, 50_000);
        Process child = SlotChild.start(compiler, fixture.file, "cut", layout.samples(), layout.sampleBytes(), 1);
        children.add(child);

        assertThat(child.inputReader().readLine()).isEqualTo("put 0: REFUSED");
        assertThat(child.waitFor()).isZero();
    }
}
