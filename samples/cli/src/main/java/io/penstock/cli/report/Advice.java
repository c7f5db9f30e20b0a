package io.penstock.cli.report;

import io.penstock.cli.flag.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether more cache would help, and how long an epoch would take with the caches that could be had.
 *
 * @param enoughShare of the samples, from which on more cache makes no epoch faster
 * @param enoughBytes that a cache of the given number of samples needs
 * @param budgets     what could be had, the smallest first
 */
public record Advice(double enoughShare, long enoughBytes, List<Budget> budgets) {

    /** Below this, an epoch is over before it matters. */
    private static final double WORTH_SAYING = 0.02;

    private static final double SHORTEST = 1e-9;

    /**
     * A cache that could be had.
     *
     * @param name    for people and programs: {@code none}, {@code ram}, {@code disk}, {@code ram+disk}, {@code all}
     * @param bytes   of it
     * @param share   of the samples that it holds
     * @param seconds that an epoch would take
     */
    record Budget(String name, long bytes, double share, double seconds) {}

    /** Empty where the epoch loaded nothing, or it is not known how much a sample takes in a cache. */
    public static Optional<Advice> of(Surroundings around, EpochReport epoch) {
        long all = around.allBytes();
        if (all <= 0 || epoch.samples() == 0 || epoch.statistics().loads() == 0) {
            return Optional.empty();
        }
        Forecast forecast = Forecast.of(around, epoch);
        List<Budget> budgets = new ArrayList<>();
        budgets.add(budget("none", 0, around, epoch, forecast));
        budgets.add(budget("ram", around.freeBytes(), around, epoch, forecast));
        if (around.diskBytes() > 0) {
            budgets.add(budget("disk", around.diskBytes(), around, epoch, forecast));
            budgets.add(budget("ram+disk", around.freeBytes() + around.diskBytes(), around, epoch, forecast));
        }
        budgets.add(budget("all", all, around, epoch, forecast));
        double enough = forecast.enough();
        return Optional.of(new Advice(enough, (long) Math.ceil(enough * all), List.copyOf(budgets)));
    }

    private static Budget budget(String name, long bytes, Surroundings around, EpochReport epoch, Forecast forecast) {
        double share = Math.min(1, (double) bytes / around.allBytes());
        return new Budget(name, bytes, share, forecast.perSample(share) * epoch.samples());
    }

    private Budget named(String name) {
        return budgets.stream()
                .filter(budget -> budget.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public String text() {
        double without = named("none").seconds();
        double with = named("all").seconds();
        if (enoughShare <= 0 || without - with < WORTH_SAYING * Math.max(SHORTEST, without)) {
            return "no cache would make an epoch faster";
        }
        String epochs = budgets.stream()
                .filter(budget -> budget.bytes() > 0 || budget.name().equals("none"))
                .map(Advice::words)
                .collect(Collectors.joining(", "));
        String limit = enoughShare < 1
                ? "; from %s on (%d %% of the samples) more cache gains nothing"
                        .formatted(ByteSize.roundedUp(enoughBytes), (long) Math.ceil(100 * enoughShare))
                : "";
        return "an epoch would take about " + epochs + limit;
    }

    private static String words(Budget budget) {
        String time = seconds(budget.seconds());
        return switch (budget.name()) {
            case "none" -> time + " without a cache";
            case "all" -> time + " with all %s held".formatted(ByteSize.roundedUp(budget.bytes()));
            default ->
                "%s with the free %s (%s, %d %%)"
                        .formatted(time, budget.name(), ByteSize.roundedUp(budget.bytes()), (long)
                                Math.floor(100 * budget.share()));
        };
    }

    private static String seconds(double seconds) {
        return seconds < 10
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : seconds < 7200
                        ? String.format(Locale.ROOT, "%.0f s", seconds)
                        : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }
}
