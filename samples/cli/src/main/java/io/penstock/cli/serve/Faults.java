package io.penstock.cli.serve;

import io.penstock.cache.Fingerprint;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The faults that a {@link FileServer} injects, each with its share of the answers.
 *
 * <p>Whether the n-th request for a path fails depends on the seed, the path and n alone. So a run can be repeated,
 * although its requests come in another order.
 */
record Faults(List<Fault> faults, long seed) {

    enum Kind {
        /** The connection is reset before an answer. */
        REFUSE,
        /** The connection is reset in the middle of the body. */
        RESET,
        /** Half of the body comes, and then nothing more. */
        STALL,
        /** The connection ends in the middle of the body. */
        TRUNCATE,
        /** The answer is well-formed and a byte too short. */
        WRONG_LENGTH,
        /** Another status than 200. */
        STATUS;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One fault.
     *
     * @param status answered by {@link Kind#STATUS}, 0 for other kinds
     * @param share  of the answers
     */
    record Fault(Kind kind, int status, double share) {}

    private static final Faults NONE = new Faults(List.of(), 0);

    static Faults none() {
        return NONE;
    }

    /**
     * Reads {@code refuse=0.05,reset=0.02,stall=0.01,truncate=0.05,wrong-length=0.05,status=503:0.1}: kinds and their
     * shares, which are at most 1 together. {@code status} may stand more than once.
     * @throws IllegalArgumentException if it is anything else
     */
    static Faults parse(String text, long seed) {
        List<Fault> faults = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            faults.add(fault(part.strip()));
        }
        BigDecimal sum =
                faults.stream().map(fault -> BigDecimal.valueOf(fault.share)).reduce(BigDecimal.ZERO, BigDecimal::add);
        if (sum.compareTo(BigDecimal.ONE) > 0) {
            throw new IllegalArgumentException("shares of faults must be at most 1 together, were %s".formatted(sum));
        }
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        faults.forEach(fault -> counts.merge(fault.kind, 1L, Long::sum));
        counts.forEach((kind, count) -> {
            if (count > 1 && kind != Kind.STATUS) {
                throw new IllegalArgumentException("fault %s stands twice in \"%s\"".formatted(kind.word(), text));
            }
        });
        return new Faults(List.copyOf(faults), seed);
    }

    private static Fault fault(String part) {
        int equals = part.indexOf('=');
        String word = equals < 0 ? part : part.substring(0, equals);
        for (Kind kind : Kind.values()) {
            if (kind.word().equals(word) && equals >= 0) {
                String value = part.substring(equals + 1);
                int colon = kind == Kind.STATUS ? value.indexOf(':') : -1;
                if (kind == Kind.STATUS && !value.matches("[45]\\d\\d:.*")) {
                    throw new IllegalArgumentException(
                            "fault \"%s\" must be status=CODE:SHARE, such as status=503:0.1".formatted(part));
                }
                int status = colon < 0 ? 0 : Integer.parseInt(value.substring(0, colon));
                return new Fault(kind, status, number(part, value.substring(colon + 1)));
            }
        }
        throw new IllegalArgumentException("fault must be one of %s with a share, such as reset=0.05, was \"%s\""
                .formatted(List.of(Kind.values()).stream().map(Kind::word).collect(Collectors.joining(", ")), part));
    }

    private static double number(String part, String text) {
        try {
            double share = Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // told below, as a number out of range is
        }
        throw new IllegalArgumentException("share of a fault must be in [0, 1]: \"%s\"".formatted(part));
    }

    /** The fault of the n-th request for a path; empty if there is none. */
    List<Fault> of(String path, int request) {
        if (faults.isEmpty()) {
            return List.of();
        }
        long bits = Fingerprint.of(Long.toString(seed), path, Integer.toString(request))
                .high();
        double dice = (bits >>> 11) * 0x1p-53;
        for (Fault fault : faults) {
            if (dice < fault.share) {
                return List.of(fault);
            }
            dice -= fault.share;
        }
        return List.of();
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return faults.stream()
                .map(fault ->
                        fault.kind.word() + "=" + (fault.kind == Kind.STATUS ? fault.status + ":" : "") + fault.share)
                .collect(Collectors.joining(","));
    }
}
