package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.pipeline.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a run goes on, as a few integers in versioned JSON: valid for any world size, worker count and batch size, and
 * for one plan only.
 *
 * @param seed of the run
 * @param at   how far all ranks have come
 * @param plan whose position it is, see {@link PlanPrint}
 */
record ResumeToken(long seed, Position at, PlanPrint plan) {

    private static final int VERSION = 1;
    private static final int LONGEST = 4096;
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads a token, or the file that holds it after an {@code @}.
     * @throws IllegalArgumentException if there is none, or it is of a later version
     */
    static ResumeToken parse(String text) {
        String token = text.startsWith("@") ? read(Path.of(text.substring(1))) : text;
        JsonNode node;
        try {
            node = JSON.readTree(token);
        } catch (IOException e) {
            throw malformed(token);
        }
        if (node == null || !node.isObject()) {
            throw malformed(token);
        }
        if (node.path("v").isIntegralNumber() && node.path("v").asLong() > VERSION) {
            throw new IllegalArgumentException("this resume token is of version %d, this program reads version %d"
                    .formatted(node.path("v").asLong(), VERSION));
        }
        String plan = node.path("plan").asText();
        if (!isLong(node.path("v"))
                || node.path("v").asLong() != VERSION
                || !isLong(node.path("seed"))
                || !isLong(node.path("epoch"))
                || !isLong(node.path("offset"))
                || node.path("epoch").asLong() < 0
                || node.path("offset").asLong() < 0
                || !PlanPrint.isOne(plan)) {
            throw malformed(token);
        }
        Position at =
                new Position(node.path("epoch").asLong(), node.path("offset").asLong());
        return new ResumeToken(node.path("seed").asLong(), at, PlanPrint.parse(plan));
    }

    private static boolean isLong(JsonNode node) {
        return node.isIntegralNumber() && node.canConvertToLong();
    }

    private static String read(Path file) {
        try {
            if (Files.size(file) > LONGEST) {
                throw new IllegalArgumentException(
                        "%s is no resume token: it has %d bytes".formatted(file, Files.size(file)));
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the resume token: " + Reason.of(e), e);
        }
    }

    private static IllegalArgumentException malformed(String token) {
        String start = token.length() <= 60 ? token : token.substring(0, 60) + "…";
        return new IllegalArgumentException(
                "this is no resume token: %s; give the text that an earlier run printed as \"resume\", or @FILE"
                        .formatted(start));
    }

    /**
     * Refuses a token that another plan gave.
     * @throws IllegalArgumentException saying what differs
     */
    void requireMadeBy(PlanPrint thisPlan, long thisSeed, long samples) {
        String differs = plan.differenceFrom(thisPlan);
        if (!differs.isEmpty()) {
            throw new IllegalArgumentException("the resume token is of another plan: " + differs);
        }
        if (seed != thisSeed) {
            throw new IllegalArgumentException(
                    "the resume token is of --seed %d, this run has --seed %d".formatted(seed, thisSeed));
        }
        if (at.offset() > samples) {
            throw new IllegalArgumentException(
                    "the resume token stands at sample %d of an epoch of %d".formatted(at.offset(), samples));
        }
    }

    /** The token as one line of JSON. */
    @Override
    public String toString() {
        return "{\"v\":%d,\"seed\":%d,\"epoch\":%d,\"offset\":%d,\"plan\":\"%s\"}"
                .formatted(VERSION, seed, at.epoch(), at.offset(), plan);
    }
}
