package io.penstock.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which shares of several kinds of samples a cache of some bytes keeps in which form, so that an epoch is shortest.
 *
 * <p>An epoch takes as long as the busier of two resources: the processors, for what is loaded and for what is unpacked,
 * and the source, for what is loaded. With a price for each, the best use of the bytes is a greedy walk: of all kinds,
 * always the step to more bytes that saves most a byte. Each kind steps along the convex hull of (bytes, saved time), so
 * one kind at most is split. The prices are found by bisection: those between which the busier resource changes. The
 * mixture of the two plans at which both are equally busy is an optimum of the linear program.
 *
 * @param bytes  that may be kept
 * @param window loads in flight at the source
 */
record FormPlan(List<FormPlan.Kind> kinds, double bytes, double processors, double window) {

    private static final int HALVINGS = 30;

    /** Of the resource that costs nothing: what is equal otherwise is decided by it. */
    private static final double LOWEST_PRICE = 1e-4;

    /** Nanoseconds a byte: what saves nothing fills room that is left. */
    private static final double ROOM = 1e-6;

    /** A number of samples that are alike, what loading one takes, and the forms that it may be held in. */
    record Kind(double samples, MeasuredLoader.Cost loading, List<Held> forms) {}

    /** A form: the bytes that are kept, and the nanoseconds of a processor to have the sample back. */
    record Held(double bytes, double nanos) {}

    /** A kind goes from one form to the next larger one; -1 stands for none. */
    private record Step(int kind, int from, int to, double bytes, double saved) {}

    /** The share of each kind in each of its forms; what is left of 1 is not held. */
    double[][] best() {
        double low = LOWEST_PRICE;
        double high = 1 - LOWEST_PRICE;
        double[][] atLow = greedy(low);
        double[][] atHigh = greedy(high);
        if (excess(atLow) <= 0) {
            return atLow; // the source is busier, even where nothing is spared the processors
        }
        if (excess(atHigh) >= 0) {
            return atHigh;
        }
        for (int i = 0; i < HALVINGS; i++) {
            double price = (low + high) / 2;
            double[][] plan = greedy(price);
            if (excess(plan) > 0) {
                low = price;
                atLow = plan;
            } else {
                high = price;
                atHigh = plan;
            }
        }
        double share = -excess(atHigh) / (excess(atLow) - excess(atHigh));
        for (int kind = 0; kind < atLow.length; kind++) {
            for (int form = 0; form < atLow[kind].length; form++) {
                atLow[kind][form] = share * atLow[kind][form] + (1 - share) * atHigh[kind][form];
            }
        }
        return atLow;
    }

    /** How much longer the processors are busy than the source. */
    private double excess(double[][] shares) {
        double[] busy = busy(shares);
        return busy[0] - busy[1];
    }

    /** How long the processors and the source are busy in an epoch, in nanoseconds. */
    double[] busy(double[][] shares) {
        double[] busy = new double[2];
        for (int i = 0; i < shares.length; i++) {
            Kind kind = kinds.get(i);
            double loaded = 1;
            for (int form = 0; form < shares[i].length; form++) {
                loaded -= shares[i][form];
                busy[0] += kind.samples * shares[i][form] * kind.forms.get(form).nanos / processors;
            }
            busy[0] += kind.samples * Math.max(0, loaded) * kind.loading.processor() / processors;
            busy[1] += kind.samples * Math.max(0, loaded) * kind.loading.source() / window;
        }
        return busy;
    }

    /** @param price of the processors, between 0 and 1; the rest is that of the source */
    private double[][] greedy(double price) {
        List<Step> steps = new ArrayList<>();
        double[][] shares = new double[kinds.size()][];
        for (int kind = 0; kind < shares.length; kind++) {
            shares[kind] = new double[kinds.get(kind).forms.size()];
            hull(kind, price, steps);
        }
        steps.sort(Comparator.comparingDouble(step -> -step.saved / step.bytes)); // stable: of a kind in its order
        double left = bytes;
        for (Step step : steps) {
            double share = Math.min(1, left / step.bytes);
            shares[step.kind][step.to] += share;
            if (step.from >= 0) {
                shares[step.kind][step.from] -= share;
            }
            left -= share * step.bytes;
        }
        return shares;
    }

    private void hull(int number, double price, List<Step> steps) {
        Kind kind = kinds.get(number);
        double spared = price * kind.loading.processor() / processors + (1 - price) * kind.loading.source() / window;
        int at = -1;
        double bytesAt = 0;
        double savedAt = 0;
        while (true) {
            Step best = null;
            for (int form = 0; form < kind.forms.size(); form++) {
                Held held = kind.forms.get(form);
                double saved = spared - price * held.nanos / processors + ROOM * held.bytes;
                if (held.bytes > bytesAt && saved > savedAt) {
                    Step step = new Step(number, at, form, held.bytes - bytesAt, saved - savedAt);
                    best = best == null || step.saved / step.bytes > best.saved / best.bytes ? step : best;
                }
            }
            if (best == null) {
                return;
            }
            at = best.to;
            bytesAt += best.bytes;
            savedAt += best.saved;
            steps.add(new Step(number, best.from, best.to, best.bytes * kind.samples, best.saved * kind.samples));
        }
    }
}
