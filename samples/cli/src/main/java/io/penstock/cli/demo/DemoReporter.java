package io.penstock.cli.demo;

import io.penstock.cli.console.Output;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.RunReport;
import io.penstock.cli.report.TableReporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table, and a sentence on what the cache changed. */
final class DemoReporter extends TableReporter {

    private final Output out;
    private final List<EpochReport> epochs = new ArrayList<>();

    DemoReporter(Output out) {
        super(out, null);
        this.out = out;
    }

    @Override
    public void epoch(EpochReport report) {
        epochs.add(report);
        super.epoch(report);
    }

    @Override
    public void done(RunReport report) {
        super.done(report);
        out.line(sentence(epochs.get(0), epochs.get(epochs.size() - 1)));
    }

    static String sentence(EpochReport first, EpochReport last) {
        long samples = Math.max(1, last.samples());
        String from = last.statistics().loads() == 0
                ? "every image came decoded and resized from memory, and only crop and flip were done again"
                : String.format(
                        Locale.ROOT,
                        "%d %% of the images came decoded from memory; the others did not fit",
                        100 * last.hits() / samples);
        return String.format(
                Locale.ROOT,
                "the cache: epoch %d took %.2f s instead of %.2f s, %.1f times as fast: %s",
                last.epoch(),
                last.seconds(),
                first.seconds(),
                last.seconds() > 0 ? first.seconds() / last.seconds() : 0,
                from);
    }
}
