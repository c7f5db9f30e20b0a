package io.penstock.serve;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.penstock.batch.Batch;
import io.penstock.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Writes the JSON that says where a batch lies in a shared file. Used by one thread at a time.
 *
 * <p>The thread that fills batches calls it some hundred times a second, which is too seldom to be compiled soon. So it
 * joins few strings, and keeps the description of the fields, which is the same each time a slot is used. A tree of
 * JSON nodes took 0.1 to 0.17 ms a batch on a busy machine, a tenth of the time to fill it.
 */
final class BatchManifest {

    private final Function<Delivery, String> token;
    private final Deque<Known> known = new ArrayDeque<>();

    private record Known(List<Tensor> tensors, String json) {

        @SuppressWarnings("ReferenceEquality") // it looks for the same memory, not the same values
        boolean isOf(Batch batch, List<String> names) {
            for (int i = 0; i < names.size(); i++) {
                if (tensors.get(i) != batch.tensor(names.get(i))) {
                    return false;
                }
            }
            return tensors.size() == names.size();
        }
    }

    BatchManifest(Function<Delivery, String> token) {
        this.token = token;
    }

    /**
     * The message for the consumer of a rank about the batch of a number.
     * @param more further members of the JSON object, each after a comma
     */
    String of(Delivery delivery, int rank, long number, String more) {
        Batch batch = delivery.batch();
        SharedFile file = (SharedFile) delivery.hub().memory();
        return "{\"batch\":" + number + ",\"rank\":" + rank + ",\"size\":" + batch.size() + ",\"masked\":"
                + batch.mask().isPresent() + ",\"epoch\":" + batch.epoch() + ",\"resume\":"
                + quoted(token.apply(delivery)) + ",\"file\":" + quoted(file.toString()) + ",\"fields\":"
                + fields(batch, file) + more + "}";
    }

    private String fields(Batch batch, SharedFile file) {
        List<String> names = batch.names();
        for (Known each : known) {
            if (each.isOf(batch, names)) {
                return each.json;
            }
        }
        List<Tensor> tensors = names.stream().map(batch::tensor).toList();
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < names.size(); i++) {
            Tensor tensor = tensors.get(i);
            json.append(i == 0 ? "" : ",")
                    .append("{\"name\":")
                    .append(quoted(names.get(i)))
                    .append(",\"dtype\":")
                    .append(quoted(tensor.dtype().toString()))
                    .append(",\"at\":")
                    .append(file.offsetOf(tensor))
                    .append(",\"shape\":[");
            long[] shape = tensor.shape().toArray();
            for (int axis = 0; axis < shape.length; axis++) {
                json.append(axis == 0 ? "" : ",").append(shape[axis]);
            }
            json.append("]}");
        }
        if (known.size() == BatchFeed.SLOTS) {
            known.remove();
        }
        known.add(new Known(tensors, json.append(']').toString()));
        return Objects.requireNonNull(known.peekLast()).json;
    }

    static String quoted(String text) {
        return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }
}
