package io.penstock.cli.cache;

import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.chronicle.KeptEntry;
import io.penstock.cli.source.Cacheable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Why a cache does not have a sample, by comparing what made its key with what made the keys of the entries that were
 * kept for a sample of its name.
 *
 * @param reason  in one word: {@code held}, {@code never}, {@code source}, {@code stage}, {@code codec}, {@code lost} or
 *                {@code unknown}
 * @param changes in words, one for each thing that differs
 */
record MissExplanation(String reason, List<String> changes) {

    static MissExplanation of(
            Cacheable<?> cacheable, SampleKey key, long index, ChronicleTier tier, List<Producer> producers) {
        if (tier.contains(key)) {
            return new MissExplanation("held", List.of());
        }
        Producer now = cacheable.producer();
        List<String> state = cacheable.dataset().id(index).state();
        Provenance provenance = Provenance.of(cacheable.dataset().name(index), state, now.id());
        Map<Integer, Producer> known =
                producers.stream().collect(Collectors.toMap(Producer::id, Function.identity(), (a, b) -> a));
        Comparison comparison = new Comparison(provenance, state, now, known);
        List<MissExplanation> found = new ArrayList<>();
        tier.forEach(entry -> {
            if (entry.provenance().isOfSameSample(provenance)) {
                found.add(comparison.with(entry));
            }
        });
        return found.stream()
                .reduce((nearest, next) -> next.changes.size() <= nearest.changes.size() ? next : nearest)
                .orElse(new MissExplanation("never", List.of()));
    }

    private record Comparison(Provenance provenance, List<String> state, Producer now, Map<Integer, Producer> known) {
        MissExplanation with(KeptEntry entry) {
            List<String> changes = new ArrayList<>();
            for (String word : provenance.changedSince(entry.provenance(), state)) {
                changes.add("its source has changed: now it is \"%s\"".formatted(word));
            }
            String reason = changes.isEmpty() ? "" : "source";
            Producer then = known.get(entry.provenance().producer());
            if (then == null) {
                changes.add("the record of the pipeline that kept it is gone");
                return new MissExplanation(reason.isEmpty() ? "unknown" : reason, changes);
            }
            boolean codec = !then.plainCodec().equals(now.codec());
            List<String> stages = stages(once(then.stages()), once(now.stages()));
            if (changes.isEmpty() && stages.isEmpty() && !codec) {
                stages = stages(then.stages(), now.stages());
            }
            changes.addAll(stages);
            if (codec) {
                changes.add("it was kept as %s, and is requested as %s".formatted(then.codec(), now.codec()));
            }
            if (changes.isEmpty()) {
                changes.add("it was kept and is damaged or was removed; cache verify finds damage");
                return new MissExplanation("lost", changes);
            }
            String other = stages.isEmpty() ? "codec" : "stage";
            return new MissExplanation(reason.isEmpty() ? other : reason, changes);
        }

        /** Each source of several has its stages in the list: one change of all would be told once for each. */
        private static List<String> once(List<String> stages) {
            return stages.stream().distinct().toList();
        }

        private static List<String> stages(List<String> then, List<String> now) {
            List<String> changes = new ArrayList<>();
            for (int i = 0; i < Math.max(then.size(), now.size()); i++) {
                if (i >= then.size()) {
                    changes.add("stage %d, \"%s\", was not there".formatted(i + 1, now.get(i)));
                } else if (i >= now.size()) {
                    changes.add("stage %d, \"%s\", is not there any more".formatted(i + 1, then.get(i)));
                } else if (!then.get(i).equals(now.get(i))) {
                    changes.add("stage %d was \"%s\", and is \"%s\"".formatted(i + 1, then.get(i), now.get(i)));
                }
            }
            return changes;
        }
    }
}
