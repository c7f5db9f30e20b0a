package io.penstock.resume;

import io.penstock.cache.Fingerprint;
import io.penstock.order.DrawnGroups;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;

/**
 * What a resume token knows its plan by: short hashes of the parts that decide what is drawn, so that a refusal can say
 * which of them differs.
 *
 * @param source  64 bits of the source's fingerprint
 * @param stages  32 bits of each stage's words
 * @param order   in words
 * @param samples of an epoch
 */
record PlanPrint(String source, List<String> stages, String order, long samples) {

    private static final String HASH = "[0-9a-f]{16}";
    private static final String SHORT_HASH = "[0-9a-f]{8}";

    PlanPrint {
        stages = List.copyOf(stages);
    }

    static PlanPrint of(Pipeline<?> pipeline, Sampler sampler) {
        return new PlanPrint(
                "%016x".formatted(pipeline.source().high()),
                stageWords(pipeline).stream().map(PlanPrint::hash).toList(),
                sampler.order(),
                sampler.samples(pipeline.size()));
    }

    private static List<String> stageWords(Pipeline<?> pipeline) {
        List<String> words = pipeline.fingerprint().words();
        int own = pipeline.source().words().size();
        return words.subList(Math.min(own, words.size()), words.size());
    }

    private static String hash(String word) {
        return "%08x".formatted(Fingerprint.of(word).high() >>> 32);
    }

    boolean hasSource() {
        return source.matches(HASH);
    }

    boolean hasStages() {
        return stages.stream().allMatch(stage -> stage.matches(SHORT_HASH));
    }

    /** What of this plan is not that of a pipeline and its order, in words; nothing if they agree. */
    List<String> differencesFrom(Pipeline<?> pipeline, Sampler sampler) {
        PlanPrint that = of(pipeline, sampler);
        List<String> differences = new ArrayList<>();
        if (!source.equals(that.source)) {
            differences.add("other data: the source, or files that were changed, added or removed");
        }
        stageDifference(that, stageWords(pipeline), differences);
        if (!order.equals(that.order)) {
            differences.add("another order: %s there, %s here".formatted(order, that.order));
        }
        if (samples != that.samples && source.equals(that.source)) {
            differences.add("epochs of another size: %d samples there, %d here".formatted(samples, that.samples));
        }
        return differences;
    }

    private void stageDifference(PlanPrint that, List<String> words, List<String> differences) {
        for (int i = 0; i < Math.min(stages.size(), that.stages.size()); i++) {
            boolean replaceable = words.get(i).startsWith(DrawnGroups.REPLACEABLE);
            if (!replaceable && !stages.get(i).equals(that.stages.get(i))) {
                differences.add(
                        "other stages: number %d here is \"%s\", which it was not".formatted(i + 1, words.get(i)));
                return;
            }
        }
        if (stages.size() > that.stages.size()) {
            differences.add("other stages: %d there, of which only the first %d are here"
                    .formatted(stages.size(), that.stages.size()));
        } else if (stages.size() < that.stages.size()) {
            differences.add("other stages: \"%s\" is one too many".formatted(words.get(stages.size())));
        }
    }
}
