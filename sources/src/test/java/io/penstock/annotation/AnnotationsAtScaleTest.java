package io.penstock.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.store.FileStore;
import io.penstock.store.Store;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A large annotation file: what the first and the second start take, and that the second one parses nothing. */
@Tag("endurance")
class AnnotationsAtScaleTest {

    private static final int IMAGES = 100_000;
    private static final int BOXES = 1_000_000;

    private static long used() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Of this process in milliseconds. */
    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1_000_000;
    }

    private static void write(Path folder) throws IOException {
        Path images = Files.createDirectories(folder.resolve("images"));
        SplittableRandom random = new SplittableRandom(3);
        try (BufferedWriter out = Files.newBufferedWriter(folder.resolve("instances.json"))) {
            out.write("{\"images\":[");
            for (int i = 0; i < IMAGES; i++) {
                String name = "%012d.jpg".formatted(i);
                Files.write(images.resolve(name), new byte[] {(byte) i});
                out.write("%s{\"id\":%d,\"file_name\":\"%s\",\"width\":640,\"height\":480}"
                        .formatted(i == 0 ? "" : ",", i, name));
            }
            out.write("],\"annotations\":[");
            for (int i = 0; i < BOXES; i++) {
                out.write(i == 0 ? "" : ",");
                out.write("{\"id\":" + i + ",\"image_id\":" + random.nextInt(IMAGES) + ",\"category_id\":"
                        + (1 + random.nextInt(80)) + ",\"iscrowd\":0,\"area\":12.5,\"bbox\":[" + random.nextInt(500)
                        + ".25,"
                        + random.nextInt(400) + ",20.5,30],\"segmentation\":[[1.5,2,30,2,30,40.25,1.5,40]]}");
            }
            out.write("],\"categories\":[");
            for (int i = 1; i <= 80; i++) {
                out.write("%s{\"id\":%d,\"name\":\"class %d\"}".formatted(i == 1 ? "" : ",", i, i));
            }
            out.write("]}");
        }
    }

    @Test
    void secondStart_ofAMillionBoxes_parsesNothing(@TempDir Path folder) throws IOException {
        write(folder);
        Store annotations = FileStore.open(folder);
        Path kept = folder.resolve("kept");
        long before = used();

        long listing = processor();
        FileStore.open(folder.resolve("images")).list((key, size, version) -> {});
        long listed = processor();
        long began = System.nanoTime();
        AnnotatedImages first = open(annotations, folder, kept);
        long parsed = System.nanoTime();
        long usedUp = processor();
        AnnotatedImages second = open(new Unreadable(annotations), folder, kept);
        for (int i = 0; i < 64; i++) {
            assertThat(second.get(i * 997L).block()).isNotNull();
        }
        long again = System.nanoTime();
        long usedAgain = processor();

        assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(second.get(77_777).block()).isEqualTo(first.get(77_777).block());
        System.out.printf(
                Locale.ROOT,
                "%,d images, %,d boxes: first start %d ms, processor %d; second start and a batch of 64 %d ms, processor %d, of"
                        + " which listing the files takes about %d; %d MB each%n",
                IMAGES,
                BOXES,
                Duration.ofNanos(parsed - began).toMillis(),
                usedUp - listed,
                Duration.ofNanos(again - parsed).toMillis(),
                usedAgain - usedUp,
                listed - listing,
                (used() - before) >> 21);
        assertThat(first.size() + second.size()).isEqualTo(2L * IMAGES);
    }

    private static AnnotatedImages open(Store annotations, Path folder, Path kept) {
        Store images = FileStore.open(folder.resolve("images"));
        return AnnotatedImages.coco(annotations, "instances.json", images, List.of("boxes", "classes"), kept);
    }
}
