package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LivePageTest {

    private static final double ROUNDING = 1e-3; // of corners as floats

    @TempDir
    private Path folder;

    @Test
    void page_ofARun_agreesWithItsJsonReport() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            session.set("pace", "20");
            session.frameWhere(frame -> frame.path("epochs").size() >= 3);
            session.set("run", "\"paused\"");

            JsonNode frame = session.settled();
            List<JsonNode> shown = new ArrayList<>();
            frame.path("epochs").forEach(shown::add);
            List<JsonNode> reported = List.copyOf(session.reported());
            assertThat(shown).hasSizeGreaterThanOrEqualTo(3);
            assertThat(shown).isEqualTo(reported.subList(reported.size() - shown.size(), reported.size()));

            JsonNode totals = frame.path("totals");
            JsonNode order = frame.path("order");
            long inEpochs = order.path("epoch").asLong() * LiveSession.PICTURES
                    + order.path("offset").asLong();
            assertThat(totals.path("samples").asLong()).isEqualTo(inEpochs);
            assertThat(totals.path("loads").asLong()).isEqualTo(LiveSession.PICTURES);
            assertThat(totals.path("skipped").asLong()).isZero();
            assertThat(hits(frame)).isEqualTo(totals.path("hits").asLong());
            // all that was looked up was delivered, or waits for the consumer, or to be augmented
            long queued = 0;
            for (JsonNode stage : frame.path("stages")) {
                queued += stage.path("queue").asLong();
            }
            assertThat(totals.path("hits").asLong() + totals.path("misses").asLong())
                    .isEqualTo(inEpochs + queued);
            assertThat(frame.path("verdict").asText()).startsWith("paused");
        }
    }

    @Test
    @Tag("endurance")
    void mixture_ofTwoSources_showsWhatCameOfEachBesideItsWeight() throws Exception {
        try (LiveSession session = new LiveSession(folder, 3.0, 1.0)) {
            session.set("pace", "20");
            session.frameWhere(frame -> frame.path("epochs").size() >= 3);
            session.set("run", "\"paused\"");

            JsonNode frame = session.settled();
            long samples = frame.path("totals").path("samples").asLong();
            JsonNode first = frame.path("sources").path(0);
            JsonNode second = frame.path("sources").path(1);
            assertThat(frame.path("sources")).hasSize(2);
            assertThat(first.path("source").asText()).endsWith("pictures-0");
            assertThat(first.path("weight").asDouble()).isEqualTo(0.75);
            assertThat(first.path("samples").asDouble()).isCloseTo(0.75 * samples, within(1.0));
            assertThat(first.path("share").asDouble()).isCloseTo(0.75, within(1.0 / samples + 1e-4));
            assertThat(first.path("samples").asLong() + second.path("samples").asLong())
                    .isEqualTo(samples);
            assertThat(first.path("passes").asDouble())
                    .isCloseTo(first.path("samples").asDouble() / 28, within(0.01));
            JsonNode epoch = session.reported().get(0);
            assertThat(epoch.path("samples").asInt())
                    .isEqualTo(frame.path("size").asInt());
            assertThat(epoch.path("sources").path(0).path("samples").asInt()).isEqualTo(28);
            assertThat(epoch.path("sources").path(1).path("samples").asInt()).isBetween(9, 10);

            session.set("run", "\"running\"");
            JsonNode running = session.frameWhere(now -> now.path("sources")
                                    .path(0)
                                    .path("samples_per_second")
                                    .asDouble()
                            > 0
                    && now.path("sources").path(1).path("samples_per_second").asDouble() > 0);
            assertThat(running.path("stages")).hasSize(5);
            assertThat(running.path("stages").path(0).path("name").asText())
                    .isEqualTo(first.path("source").asText() + ": load");
        }
    }

    private static long hits(JsonNode frame) {
        long hits = 0;
        for (JsonNode tier : frame.path("tiers")) {
            hits += tier.path("hits").asLong();
        }
        return hits;
    }

    @Test
    void pictures_asTheyFlow_areDrawnWithMasksAndBoxesBeforeAndAfter() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            JsonNode picture = session.frameWhere(
                            frame -> !frame.path("pictures").isEmpty())
                    .path("pictures")
                    .path(0);

            requireScene(picture.path("before"), 224);
            requireScene(picture.path("after"), 200);
            List<String> objects = picture.path("before").path("boxes").findValuesAsText("object");
            assertThat(objects).isNotEmpty();
            List<String> kept = new ArrayList<>();
            for (JsonNode box : picture.path("before").path("boxes")) {
                if (!box.path("dropped").asBoolean()) {
                    kept.add(box.path("object").asText());
                }
            }
            assertThat(picture.path("after").path("boxes").findValuesAsText("object"))
                    .isEqualTo(kept); // a crop may leave none
            int index = picture.path("index").asInt();
            assertThat(index).isBetween(0, LiveSession.PICTURES - 1);
            assertThat(picture.path("name").asText()).matches("class-\\d/\\d{5}\\.jpg");

            long first = picture.path("number").asLong();
            JsonNode later = session.frameWhere(frame -> !frame.path("pictures").isEmpty());
            assertThat(later.path("pictures").path(0).path("number").asLong()).isGreaterThan(first);
        }
    }

    /** What is drawn: each box holds cells of its object's colour and lies within the picture. */
    private static void requireScene(JsonNode scene, int side) throws IOException {
        BufferedImage picture = decoded(scene.path("picture").asText(), "jpeg");
        assertThat(List.of(
                        picture.getWidth(),
                        picture.getHeight(),
                        scene.path("width").asInt()))
                .containsOnly(side);
        for (JsonNode box : scene.path("boxes")) {
            BufferedImage mask = decoded(scene.path("mask").asText(), "png");
            assertThat(List.of(mask.getWidth(), mask.getHeight())).containsOnly(side);
            int colour = Integer.decode(box.path("colour").asText());
            int left = (int) Math.floor(box.path("x").asDouble() + ROUNDING);
            int top = (int) Math.floor(box.path("y").asDouble() + ROUNDING);
            int right =
                    (int) Math.ceil(box.path("x").asDouble() + box.path("width").asDouble() - ROUNDING);
            int bottom = (int)
                    Math.ceil(box.path("y").asDouble() + box.path("height").asDouble() - ROUNDING);
            assertThat(List.of(left, top)).allMatch(corner -> corner >= 0);
            assertThat(List.of(right, bottom)).allMatch(corner -> corner <= side);
            for (int y = 0; y < side; y++) {
                for (int x = 0; x < side; x++) {
                    boolean inside = x >= left && x < right && y >= top && y < bottom;
                    assertThat(inside || (mask.getRGB(x, y) & 0xffffff) != colour)
                            .as("object %s shows at %d, %d, outside its box", box, x, y)
                            .isTrue();
                }
            }
        }
    }

    private static BufferedImage decoded(String address, String kind) throws IOException {
        assertThat(address).startsWith("data:image/%s;base64,".formatted(kind));
        byte[] bytes = Base64.getDecoder().decode(address.substring(address.indexOf(',') + 1));
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(bytes));
        assertThat(image).isNotNull();
        return image;
    }

    @Test
    void ranks_ofAnyNumber_drawOneGlobalOrder() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            session.set("run", "\"paused\"");
            for (int ranks : List.of(1, 3, 8)) {
                assertThat(session.set("ranks", String.valueOf(ranks)))
                        .isEqualTo("the order is shown for %d ranks".formatted(ranks));

                JsonNode order = session.frameWhere(
                                frame -> frame.path("order").path("ranks").asInt() == ranks)
                        .path("order");
                Position at = new Position(
                        order.path("epoch").asLong(), order.path("offset").asLong());
                Draws all = Sampler.shuffled(42).epochs(1000).resumeAt(at).draws(LiveSession.PICTURES);
                assertThat(order.path("next")).hasSize(ranks);
                for (int rank = 0; rank < ranks; rank++) {
                    JsonNode row = order.path("next").path(rank);
                    for (int step = 0; step < row.size(); step++) {
                        assertThat(row.path(step).asLong())
                                .isEqualTo(all.at((long) step * ranks + rank).index());
                    }
                }
            }
        }
    }

    @Test
    void consumer_slowedPausedAndResumed_setsThePace() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            assertThat(session.set("pace", "2000")).isEqualTo("the consumer takes 2000 ms for each batch of 32");
            session.frameWhere(frame -> frame.path("pace_ms").asInt() == 2000);
            assertThat(session.set("run", "\"paused\"")).isEqualTo("paused");
            JsonNode still = session.settled();
            assertThat(session.frame().path("totals")).isEqualTo(still.path("totals"));

            session.set("pace", "0");
            assertThat(session.set("run", "\"running\"")).isEqualTo("running");

            long before = still.path("totals").path("samples").asLong();
            session.frameWhere(frame -> frame.path("totals").path("samples").asLong() > before + 200);
        }
    }

    @Test
    @Tag("endurance")
    void cache_dropped_isLoadedAgain() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            session.set("pace", "20");
            session.frameWhere(frame -> frame.path("epochs").size() >= 2);

            assertThat(session.set("cache", "\"drop\""))
                    .isEqualTo("the cache was dropped: %d samples are forgotten".formatted(LiveSession.PICTURES));

            JsonNode loaded = session.frameWhere(
                    frame -> frame.path("totals").path("loads").asLong() >= 2L * LiveSession.PICTURES - LiveRun.BATCH);
            long ram = loaded.path("tiers").path(0).path("hits").asLong();
            session.frameWhere(frame -> frame.path("tiers").path(0).path("hits").asLong() > ram);
        }
    }

    @Tag("endurance")
    @Test
    void source_broken_isHiddenByTheCacheAndSkippedWithoutAndMended() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            session.set("pace", "0");
            session.frameWhere(frame -> frame.path("epochs").size() >= 2);
            session.frameWhere(frame -> frame.path("recent").path("misses").asLong() == 0);
            assertThat(session.set("source", "\"fails\""))
                    .contains("tried 4 times, then skipped")
                    .contains("nothing asks it now", "press \"Drop the cache\"");
            long cached = session.frame().path("totals").path("samples").asLong();
            JsonNode hidden = session.frameWhere(
                    frame -> frame.path("totals").path("samples").asLong() > cached + 100);
            assertThat(hidden.path("totals").path("skipped").asLong()).isZero();
            session.frameWhere(frame -> frame.path("verdict").asText().contains("nothing asks it now"));

            session.set("cache", "\"drop\"");
            JsonNode broken = session.frameWhere(
                    frame -> frame.path("totals").path("skipped").asLong() > 0 && frame.has("last_failure"));
            session.frameWhere(frame -> frame.path("verdict").asText().contains("the source fails"));
            assertThat(broken.path("last_failure").asText()).contains("the source is broken");
            assertThat(broken.path("source").asText()).isEqualTo("fails");

            session.set("source", "\"works\"");
            long now = session.frame().path("totals").path("samples").asLong();
            session.frameWhere(frame -> frame.path("totals").path("samples").asLong() > now + 100);
            JsonNode mended = session.frameWhere(frame -> !frame.has("last_failure"));
            assertThat(mended.path("totals").path("skipped").asLong()).isPositive();
        }
    }

    @Test
    @Tag("endurance")
    void source_stalled_isWaitedForAndLosesNothing() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            session.set("pace", "0");
            session.frameWhere(frame -> frame.path("epochs").size() >= 2);
            session.set("source", "\"stalls\"");
            session.set("cache", "\"drop\"");

            JsonNode stalled =
                    session.frameWhere(frame -> frame.path("verdict").asText().startsWith("nothing is delivered"));
            assertThat(stalled.path("stages").path(0).path("queue").asLong()).isPositive();
            assertThat(session.set("source", "\"slow\"")).isEqualTo("the source answers 100 ms late");

            long before = stalled.path("totals").path("samples").asLong();
            JsonNode mended = session.frameWhere(
                    frame -> frame.path("totals").path("samples").asLong() > before + 100);
            assertThat(mended.path("totals").path("skipped").asLong()).isZero();
        }
    }

    @Test
    void controls_givenWhatTheyDoNotTake_sayWhatTheyDo() throws Exception {
        try (LiveSession session = new LiveSession(folder)) {
            assertThat(session.set("pace", "2001")).isEqualTo("400 a whole number in [0, 2000] was expected, was 2001");
            assertThat(session.set("pace", "\"fast\"")).startsWith("400 ");
            assertThat(session.set("ranks", "0")).startsWith("400 ");
            assertThat(session.set("ranks", "99999999999999")).startsWith("400 ");
            assertThat(session.set("source", "\"explodes\""))
                    .isEqualTo("400 one of works, slow, fails, stalls was expected, was \"explodes\"");
            assertThat(session.set("run", "true")).startsWith("400 ");
            assertThat(session.set("cache", "\"fill\"")).startsWith("400 ");
        }
    }
}
