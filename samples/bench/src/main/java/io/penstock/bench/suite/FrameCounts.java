package io.penstock.bench.suite;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * How often running threads were seen in each method: at its top, with the first method of ours below it. Looks at native
 * methods count where one of ours called them: others only wait.
 *
 * <p>The recorder cannot look into copies of memory, which run in stubs without a frame: what looks did not see of the
 * threads' processor time is mostly those, on a machine that has a processor for the recorder.
 *
 * @param total   of all looks
 * @param seen    by name
 * @param seconds of processor time of the threads that were there all the time
 */
record FrameCounts(long total, Map<String, Long> seen, double seconds) {

    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final String OURS = "io.penstock.";
    private static final String BENCHMARKS = "io.penstock.bench.";
    private static final String NATIVE = "jdk.NativeMethodSample";

    /** A name and how much of all looks found it. */
    record Share(String name, double share) {}

    /** Something to look at. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    static FrameCounts during(Work work) throws IOException {
        Path file = Files.createTempFile("penstock-profile-", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ExecutionSample").withPeriod(PERIOD).withStackTrace();
            recording.enable(NATIVE).withPeriod(PERIOD).withStackTrace();
            recording.start();
            double before = processorSeconds();
            work.run();
            double seconds = processorSeconds() - before;
            recording.stop();
            recording.dump(file);
            return of(RecordingFile.readAllEvents(file), seconds);
        } finally {
            Files.delete(file);
        }
    }

    private static double processorSeconds() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getAllThreadIds())
                        .map(threads::getThreadCpuTime)
                        .filter(nanos -> nanos > 0)
                        .sum()
                / 1e9;
    }

    private static FrameCounts of(List<RecordedEvent> events, double seconds) {
        Map<String, Long> seen = new LinkedHashMap<>();
        long total = 0;
        for (RecordedEvent event : events) {
            if (event.getStackTrace() != null
                    && !event.getStackTrace().getFrames().isEmpty()) {
                List<RecordedFrame> frames = event.getStackTrace().getFrames();
                String own = own(frames);
                if (!own.isEmpty() || !event.getEventType().getName().equals(NATIVE)) {
                    String top = name(frames.get(0));
                    seen.merge(own.isEmpty() || own.equals(top) ? top : top + " of " + own, 1L, Long::sum);
                    total++;
                }
            }
        }
        return new FrameCounts(total, seen, seconds);
    }

    /** The method of ours that is nearest to the top; empty where there is none. */
    private static String own(List<RecordedFrame> frames) {
        return frames.stream()
                .filter(frame -> type(frame).startsWith(OURS) && !type(frame).startsWith(BENCHMARKS))
                .findFirst()
                .map(FrameCounts::name)
                .orElse("");
    }

    private static String type(RecordedFrame frame) {
        return frame.getMethod().getType().getName();
    }

    private static String name(RecordedFrame frame) {
        String type = type(frame);
        return type.substring(type.lastIndexOf('.') + 1) + "."
                + frame.getMethod().getName();
    }

    /** How much of the threads' processor time no look saw. */
    double unseen() {
        return Math.max(0, 1 - total * (PERIOD.toMillis() / 1e3) / seconds);
    }

    /** The most frequent first. */
    List<Share> shares() {
        return seen.entrySet().stream()
                .map(entry -> new Share(entry.getKey(), (double) entry.getValue() / total))
                .sorted(Comparator.comparingDouble(Share::share).reversed())
                .toList();
    }
}
