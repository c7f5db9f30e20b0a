package io.penstock.bench.experiment;

import java.util.function.Consumer;

/** How far an experiment has come, as a bar. Of one thread. */
final class Advance {

    private static final int BAR = 20;

    private final String name;
    private final int total;
    private final Consumer<String> progress;
    private int skipped;
    private int done;
    private long began = System.nanoTime();

    Advance(String name, int total, Consumer<String> progress) {
        this.name = name;
        this.total = total;
        this.progress = progress;
    }

    /** One turn was done by an earlier run. */
    void skip() {
        skipped++;
    }

    /** Measuring begins. */
    void begin() {
        began = System.nanoTime();
    }

    void did() {
        done++;
    }

    boolean isDone() {
        return skipped + done >= total;
    }

    void show(String doing) {
        int all = skipped + done;
        int filled = total == 0 ? BAR : BAR * all / total;
        double seconds = (System.nanoTime() - began) / 1e9;
        String rest = done == 0 ? "" : "  ETA %d s".formatted(Math.round(seconds / done * (total - all)));
        progress.accept("%s [%s%s] %d %%  %s%s"
                .formatted(
                        name,
                        "#".repeat(filled),
                        "-".repeat(BAR - filled),
                        total == 0 ? 100 : 100 * all / total,
                        doing,
                        rest));
    }
}
