package io.penstock.cli.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.augment.Augment;
import io.penstock.cli.console.Output;
import io.penstock.order.Draw;
import io.penstock.order.Shard;
import io.penstock.resume.ResumeToken;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a batch was made of, as lines for people or as one JSON object a line. */
final class Explanation {

    /** The word of {@code --augment} that draws a parameter. */
    private static final Map<String, String> AUGMENTATIONS =
            Map.of("region", "crop=", "flipped", "flip=", "colour", "jitter=", "erasure", "erase=");

    private final Output out;
    private final boolean json;
    private long step;
    private Shard shard = Shard.WHOLE;
    private long epoch;
    private List<String> stages = List.of();
    private int rows;
    private int padding;
    private int skipped;

    Explanation(Output out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /** @param ofStages the source, and what is done to its samples, a line each */
    void begin(long ofStep, Shard ofShard, List<Draw> drawn, List<String> ofStages) {
        step = ofStep;
        shard = ofShard;
        epoch = drawn.get(0).epoch();
        stages = ofStages;
        if (!json) {
            stages.forEach(out::line);
            out.line("step %d of rank %d of %d: epoch %d, %d draws"
                    .formatted(step, shard.rank(), shard.worldSize(), epoch, drawn.size()));
        }
    }

    /** The next row. */
    void sample(Draw draw, String name, Map<String, ? extends Record> dice) {
        row(draw, name, dice, null);
    }

    /** The next row, which another sample should have been that could not be loaded. */
    void substitute(Draw draw, String name, Map<String, ? extends Record> dice, Draw insteadOf) {
        row(draw, name, dice, insteadOf);
    }

    /** A sample that could not be loaded and has no row. */
    void skipped(Draw draw, String name) {
        if (json) {
            out.line(sampleEvent("skipped", draw, name).toString());
        } else {
            out.line("     -  sample %d, %s: could not be loaded, and was skipped".formatted(draw.index(), name));
        }
        skipped++;
    }

    private static ObjectNode sampleEvent(String event, Draw draw, String name) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("event", event)
                .put("index", draw.index())
                .put("name", name)
                .put("epoch", draw.epoch());
    }

    private void row(Draw draw, String name, Map<String, ? extends Record> dice, @Nullable Draw insteadOf) {
        if (json) {
            ObjectNode node = sampleEvent("sample", draw, name).put("row", rows);
            if (insteadOf != null) {
                node.put("instead_of", insteadOf.index());
            }
            ObjectNode drawn = node.putObject("augment");
            dice.forEach((stage, parameters) -> drawn.set(stage, fields(used(stage, parameters))));
            out.line(node.toString());
        } else {
            String why = insteadOf == null
                    ? ""
                    : ", in place of sample %d, which could not be loaded".formatted(insteadOf.index());
            out.line("%6d  sample %d, %s%s".formatted(rows, draw.index(), name, why));
            dice.forEach((stage, parameters) -> out.line("        %s: %s"
                    .formatted(
                            stage,
                            used(stage, parameters).entrySet().stream()
                                    .map(Object::toString)
                                    .collect(Collectors.joining(", ")))));
        }
        rows++;
    }

    /** A draw without a sample. */
    void padding() {
        padding++;
    }

    /** @param uncertain whether samples may have been skipped or replaced */
    void end(ResumeToken from, ResumeToken next, boolean uncertain) {
        if (uncertain && !json) {
            out.line("--replay tells which of them could not be loaded, and were skipped or replaced");
        }
        end(from, next, null);
    }

    /** @param content the digest of the batch made again */
    void replayed(ResumeToken from, ResumeToken next, long content) {
        end(from, next, (Long) content);
    }

    private void end(ResumeToken from, ResumeToken next, @Nullable Long content) {
        if (json) {
            ObjectNode node = JsonNodeFactory.instance.objectNode();
            node.put("event", "batch")
                    .put("step", step)
                    .put("rank", shard.rank())
                    .put("world", shard.worldSize())
                    .put("epoch", epoch)
                    .put("samples", rows)
                    .put("padding", padding);
            ArrayNode plan = node.putArray("stages");
            stages.forEach(plan::add);
            if (content != null) {
                node.put("skipped", skipped).put("content_digest", "%016x".formatted(content));
            }
            out.line(node.put("from", from.toString())
                    .put("resume", next.toString())
                    .toString());
            return;
        }
        if (padding > 0) {
            out.line("%d draws without a sample, to keep ranks in step".formatted(padding));
        }
        if (content != null) {
            out.line("content digest %016x".formatted(content));
        }
        out.line("the batch is the first of a run with --resume '" + from + "'");
    }

    /** Without what the words of the stage do not draw. */
    private static Map<String, Object> used(String stage, Record parameters) {
        Map<String, Object> used = values(parameters);
        if (parameters instanceof Augment.Parameters) {
            used.keySet().removeIf(name -> !stage.contains(AUGMENTATIONS.get(name)));
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

    private static ObjectNode fields(Map<String, Object> values) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        values.forEach((name, value) -> put(node, name, value));
        return node;
    }

    private static Object value(RecordComponent component, Record of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component + ": augmentation parameters are public", e);
        }
    }

    private static void put(ObjectNode node, String name, Object value) {
        if (value instanceof Record inner) {
            node.set(name, fields(values(inner)));
        } else if (value instanceof Boolean truth) {
            node.put(name, truth);
        } else if (value instanceof Double || value instanceof Float) {
            node.put(name, ((Number) value).doubleValue());
        } else if (value instanceof Number number) {
            node.put(name, number.longValue());
        } else if (value instanceof List<?> list) {
            ArrayNode array = node.putArray(name);
            list.forEach(each -> array.add(String.valueOf(each)));
        } else {
            node.put(name, String.valueOf(value));
        }
    }
}
