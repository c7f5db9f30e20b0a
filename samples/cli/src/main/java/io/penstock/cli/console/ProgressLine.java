package io.penstock.cli.console;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One line on a terminal that is written over as a run goes on, or an event a second for another program. Where neither
 * looks, nothing is written. Called by one thread at a time, but {@link #clear} by any.
 */
public final class ProgressLine {

    private static final long EVERY_NANOS = 100_000_000;
    private static final long EVENT_NANOS = 1_000_000_000;
    private static final int BAR = 20;
    private static final String ERASE = "\r\u001b[K";

    private final PrintWriter terminal;
    private final boolean shown;
    private final @Nullable LongConsumer program;
    private final long total;
    private final long started = System.nanoTime();
    private long lastShown = started - EVERY_NANOS;

    /**
     * @param shown whether {@code out} is a terminal
     * @param total steps of the work; 0 where that is not known
     */
    public ProgressLine(PrintWriter out, boolean shown, long total) {
        this(out, shown, null, total);
    }

    private ProgressLine(PrintWriter out, boolean shown, @Nullable LongConsumer program, long total) {
        this.terminal = out;
        this.shown = shown;
        this.program = program;
        this.total = total;
    }

    /** No line: each second another program is told how many steps are done. */
    public static ProgressLine toldTo(LongConsumer program, PrintWriter out, long total) {
        return new ProgressLine(out, false, program, total);
    }

    public void show(String what) {
        if (shown) {
            lastShown = System.nanoTime();
            terminal.print(ERASE + Terminal.escape(what));
            terminal.flush();
        }
    }

    public boolean isDue() {
        long passed = System.nanoTime() - lastShown;
        return program == null ? shown && passed >= EVERY_NANOS : passed >= EVENT_NANOS;
    }

    /**
     * Shows how far the work has come.
     * @param what   is being done, first on the line
     * @param detail last on the line
     */
    public void show(String what, long done, String unit, String detail) {
        if (program != null) {
            lastShown = System.nanoTime();
            program.accept(done);
        }
        if (!shown) {
            return;
        }
        lastShown = System.nanoTime();
        terminal.print(ERASE + Terminal.escape(line(what, done, total, unit, (lastShown - started) / 1e9, detail)));
        terminal.flush();
    }

    public void showIfDue(String what, long done, String unit, String detail) {
        if (isDue()) {
            show(what, done, unit, detail);
        }
    }

    static String line(String what, long done, long total, String unit, double seconds, String detail) {
        double share = total <= 0 ? 1 : Math.min(1, (double) done / total);
        int filled = (int) (share * BAR);
        double rate = seconds > 0 ? done / seconds : 0;
        String rest = done == 0 ? "" : "  ETA " + eta((total - done) / rate);
        return String.format(
                Locale.ROOT,
                "%s [%s%s] %3.0f %%  %,.0f %s/s%s%s",
                what,
                "#".repeat(filled),
                "-".repeat(BAR - filled),
                100 * share,
                rate,
                unit,
                detail.isEmpty() ? "" : "  " + detail,
                rest);
    }

    private static String eta(double seconds) {
        long whole = Math.max(0, Math.round(seconds));
        return whole < 60
                ? whole + " s"
                : whole < 3600
                        ? "%d min %02d s".formatted(whole / 60, whole % 60)
                        : "%d h %02d min".formatted(whole / 3600, whole % 3600 / 60);
    }

    public void clear() {
        if (shown) {
            terminal.print(ERASE);
            terminal.flush();
        }
    }
}
