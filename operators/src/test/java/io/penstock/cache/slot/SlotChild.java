package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;
import io.penstock.tensor.DType;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Another process at the same slots. */
final class SlotChild {

    private SlotChild() {}

    /** Slots by numbered keys of a version: what a changed stage makes of a data set. */
    static SlotView face(Path file, SlotLayout layout, int version) {
        return new SlotView(
                SlotFile.open(file, layout, there -> Long.MAX_VALUE),
                new KeyTable(
                        layout.samples(),
                        i -> SampleKey.of("version " + version).with(i)));
    }

    static Process start(Path file, String mode, long samples, int bytes, int number) throws IOException {
        return start("-XX:TieredStopAtLevel=1", file, mode, samples, bytes, number);
    }

    static Process start(String compiler, Path file, String mode, long samples, int bytes, int number)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                compiler,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SlotChild.class.getName()));
        command.addAll(List.of(file.toString(), mode, "" + samples, "" + bytes, "" + number));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        SlotLayout layout = SlotLayout.of(Long.parseLong(args[2]), DType.U8, Integer.parseInt(args[3]));
        int number = Integer.parseInt(args[4]);
        switch (args[1]) {
            case "race" -> race(file, layout, number);
            case "write" -> write(file, layout, number);
            case "look" -> look(file, layout, number);
            case "cut" -> cut(file, layout, number);
            default -> throw new IllegalArgumentException(args[1]);
        }
    }

    static Tensor sample(SlotLayout layout, long index, int version) {
        return SlotsFixture.sample(index, version, DType.U8, layout.sampleBytes());
    }

    /** Reads or writes all slots, each in another order, and reads while the others write. */
    private static void race(Path file, SlotLayout layout, int number) {
        SplittableRandom random = new SplittableRandom(number);
        long wrong = 0;
        long written = 0;
        try (SharedSlots slots = SharedSlots.at(file).open(layout)) {
            for (int step = 0; slots.size() < layout.samples() || step < 4 * layout.samples(); step++) {
                // all go through the slots at about the same place, so that they meet
                long index = (step + random.nextInt(4)) % layout.samples();
                Tensor expected = sample(layout, index, 0);
                Tensor found = slots.get(index).orElse(null);
                if (found == null) {
                    written += slots.put(index, expected) ? 1 : 0;
                    found = slots.get(index).orElse(expected);
                }
                wrong += found.equals(expected) ? 0 : 1;
            }
        }
        System.out.println("wrong " + wrong + (written >= 0 ? "" : "?"));
    }

    /** Writes until it is killed, over and over. */
    private static void write(Path file, SlotLayout layout, int version) {
        SlotView face = face(file, layout, version);
        System.out.println("ready");
        for (long i = 0; ; i++) {
            face.put(
                    i % layout.samples(),
                    Encoded.of(sample(layout, i % layout.samples(), version).data()));
        }
    }

    /** Cuts the file while it is open, goes on writing, and lets go of what it had read. */
    private static void cut(Path file, SlotLayout layout, int version) throws Exception {
        SlotView face = face(file, layout, version);
        Encoded value = Encoded.of(sample(layout, 0, version).data());
        face.put(0, value);
        WeakReference<ByteBuffer> read = new WeakReference<>(face.get(0));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        for (long i = 0; i < layout.samples(); i++) {
            face.put(i, value);
        }
        for (int turn = 0; turn < 20 || !read.refersTo(null); turn++) {
            System.gc();
            Thread.sleep(10); // the membership ends on a thread of its own
        }
        System.out.println("put 0: " + face.put(0, value));
    }

    /** Fills the slots, looks at them, and says whether they are what they were whenever it is asked. */
    private static void look(Path file, SlotLayout layout, int version) throws IOException {
        SlotView face = face(file, layout, version);
        List<Tensor> views = new ArrayList<>();
        for (long i = 0; i < layout.samples(); i++) {
            face.put(i, Encoded.of(sample(layout, i, version).data()));
            views.add(Tensor.of(layout.dtype(), layout.shape(), face.get(i)));
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            boolean same = true;
            for (int i = 0; i < views.size(); i++) {
                same &= views.get(i).equals(sample(layout, i, version));
            }
            System.out.println(same ? "same" : "changed");
        }
    }
}
