package io.penstock.cli.explain;

import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.Augment;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.stream.Feed;
import io.penstock.order.Draw;
import io.penstock.order.Shard;
import io.penstock.resume.ResumeToken;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a batch was made of, as lines for people or as one JSON object a line. */
final class Explanation {

    /** The words of {@code --augment} that draw a parameter. Words of policies draw the steps. */
    private static final Map<String, Set<String>> AUGMENTATIONS = Map.of(
            "region", Set.of("crop", "resized-crop"),
            "flipped", Set.of("flip"),
            "colour", Set.of("jitter"),
            "erasure", Set.of("erase"),
            "", Set.of("normalise", "boxes", "mask", "dense", "whole"));

    /** A region says whether it is empty, which is not a parameter. */
    private static final JsonMapper JSON =
            JsonMapper.builder().disable(MapperFeature.AUTO_DETECT_IS_GETTERS).build();

    private final OutputFlags output;
    private final String noun;
    private long step;
    private Shard shard = Shard.WHOLE;
    private long epoch;
    private List<String> stages = List.of();
    private Map<String, List<? extends Record>> inBatch = Map.of();
    private int rows;
    private int padding;
    private int skipped;

    /** @param noun what a draw is of */
    Explanation(OutputFlags output, String noun) {
        this.output = output;
        this.noun = noun;
    }

    /** @param ofStages the source, and what is done to its samples, a line each */
    void begin(long ofStep, Shard ofShard, List<Draw> drawn, List<String> ofStages) {
        step = ofStep;
        shard = ofShard;
        epoch = drawn.get(0).epoch();
        stages = ofStages;
        tellPeople(String.join("\n", stages));
        tellPeople("step %d of rank %d of %d: epoch %d, %d draws"
                .formatted(step, shard.rank(), shard.worldSize(), epoch, drawn.size()));
    }

    private void tellPeople(String line) {
        if (!output.json()) {
            output.out().line(line);
        }
    }

    /** @param drawn for each row, by the words of {@code --mix} */
    void drawn(Map<String, List<? extends Record>> drawn) {
        inBatch = drawn;
    }

    /** A sample that could not be loaded and has no row. */
    void skipped(Draw draw, String name) {
        output.print(
                "     -  %s %d, %s: could not be loaded, and was skipped".formatted(noun, draw.index(), name),
                "skipped",
                node -> sample(node, draw, name));
        skipped++;
    }

    private static ObjectNode sample(ObjectNode node, Draw draw, String name) {
        return node.put("index", draw.index()).put("name", name).put("epoch", draw.epoch());
    }

    /**
     * The next row.
     * @param label     its class, where batches are drawn by classes
     * @param insteadOf which it should have been, and which could not be loaded; null where it is itself
     */
    void row(
            Draw draw,
            String name,
            @Nullable String label,
            Map<String, ? extends Record> ofSample,
            @Nullable Draw insteadOf) {
        Map<String, Record> dice = new LinkedHashMap<>(ofSample);
        inBatch.forEach((word, ofRows) -> dice.put(word, ofRows.get(rows)));
        String why = insteadOf == null
                ? ""
                : ", in place of %s %d, which could not be loaded".formatted(noun, insteadOf.index());
        String of = label == null ? "" : ", class " + label;
        String drawn = dice.entrySet().stream()
                .map(each -> "\n        %s: %s"
                        .formatted(
                                each.getKey(),
                                used(each.getKey(), each.getValue()).entrySet().stream()
                                        .map(Object::toString)
                                        .collect(Collectors.joining(", "))))
                .collect(Collectors.joining());
        output.print("%6d  sample %d, %s%s%s%s".formatted(rows, draw.index(), name, of, why, drawn), "sample", node -> {
            sample(node, draw, name).put("row", rows);
            if (label != null) {
                node.put("label", label);
            }
            if (insteadOf != null) {
                node.put("instead_of", insteadOf.index());
            }
            ObjectNode augment = node.putObject("augment");
            dice.forEach((stage, parameters) -> augment.set(stage, JSON.valueToTree(used(stage, parameters))));
        });
        rows++;
    }

    void padding() {
        padding++;
    }

    /**
     * The weights of a mixture.
     * @param draw the number of the batch's first draw, over all ranks and epochs
     */
    void mixed(long draw, String weights) {
        output.print(
                "draw %,d of a mixture by the weights %s".formatted(draw, weights),
                "mixture",
                node -> node.put("draw", draw).put("weights", weights));
    }

    /** For people: samples may have been skipped or replaced. */
    void uncertain() {
        tellPeople("--replay tells which of them could not be loaded, and were skipped or replaced");
    }

    /** @param content the digest of the batch made again; null where it was not */
    void end(ResumeToken from, ResumeToken next, @Nullable Long content) {
        String people = padding > 0 ? "%d draws without a sample, to keep ranks in step\n".formatted(padding) : "";
        people += content == null ? "" : "content digest %016x\n".formatted(content);
        output.print(people + "the batch is the first of a run with --resume '" + from + "'", "batch", node -> {
            node.put("step", step)
                    .put("rank", shard.rank())
                    .put("world", shard.worldSize())
                    .put("epoch", epoch)
                    .put("samples", rows)
                    .put("padding", padding);
            stages.forEach(node.putArray("stages")::add);
            if (content != null) {
                node.put("skipped", skipped).put("content_digest", "%016x".formatted(content));
            }
            node.put("from", from.toString()).put("resume", next.toString());
        });
    }

    /** Without what the words of the stage do not draw. */
    private static Map<String, Object> used(String stage, Record parameters) {
        if (parameters instanceof Feed.JointDraw joint) {
            Map<String, Object> all = used(stage, joint.parameters());
            if (!joint.boxes().isEmpty()) {
                all.put("boxes", joint.boxes());
            }
            return all;
        }
        Map<String, Object> used = values(parameters);
        if (parameters instanceof Augment.Parameters) {
            Set<String> words = Stream.of(stage.split(",", -1))
                    .map(word -> word.split("=", 2)[0])
                    .collect(Collectors.toSet());
            used.keySet()
                    .removeIf(name -> !AUGMENTATIONS.containsKey(name)
                            ? AUGMENTATIONS.values().stream()
                                    .flatMap(Set::stream)
                                    .toList()
                                    .containsAll(words)
                            : Collections.disjoint(AUGMENTATIONS.get(name), words));
        }
        return used;
    }

    private static Map<String, Object> values(Record parameters) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (RecordComponent component : parameters.getClass().getRecordComponents()) {
            values.put(component.getName(), value(component, parameters));
        }
        return values;
    }

    private static Object value(RecordComponent component, Record of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component + ": augmentation parameters are public", e);
        }
    }
}
