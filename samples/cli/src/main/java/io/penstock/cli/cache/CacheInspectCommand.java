package io.penstock.cli.cache;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cache.Producer;
import io.penstock.cache.chronicle.CacheDirectory;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.chronicle.SegmentReport;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.store.mirror.MirrorDirectory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code penstock cache inspect}: what is in a cache, and who put it there. */
@Command(name = "inspect", description = "Say what is in a cache and which pipelines filled it.")
final class CacheInspectCommand implements Callable<Integer> {

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Parameters(paramLabel = "DIR", description = "The directory of a cache, or of a mirror.")
    private Path directory;

    @Override
    public Integer call() {
        if (MirrorDirectory.isOne(directory)) {
            return new MirroredCopies(flags, directory).inspect();
        }
        CacheDirectory cache = CacheDirectory.at(directory);
        try (ChronicleTier tier = ChronicleTier.at(directory).readOnly().open()) {
            Map<Integer, LongSummaryStatistics> byProducer = new HashMap<>();
            tier.forEach(entry -> {
                if (entry.live()) {
                    byProducer
                            .computeIfAbsent(entry.provenance().producer(), id -> new LongSummaryStatistics())
                            .accept(entry.bytes());
                }
            });
            summary(cache, tier.segments());
            tier.segments().forEach(this::segment);
            for (Producer producer : cache.producers()) {
                LongSummaryStatistics held = byProducer.remove(producer.id());
                producer(producer, held == null ? new LongSummaryStatistics() : held);
            }
            byProducer.values().forEach(this::unknown);
        }
        BesideTheLog.in(cache)
                .files()
                .forEach((name, bytes) -> flags.print(
                        "beside the values: %s, %s".formatted(name, ByteSize.roundedUp(bytes)),
                        "beside",
                        node -> node.put("file", name).put("bytes", bytes)));
        return 0;
    }

    private void summary(CacheDirectory cache, List<SegmentReport> segments) {
        long entries = segments.stream().mapToLong(SegmentReport::entries).sum();
        long live = segments.stream().mapToLong(SegmentReport::live).sum();
        long liveBytes = segments.stream().mapToLong(SegmentReport::liveBytes).sum();
        long deadBytes = segments.stream().mapToLong(SegmentReport::deadBytes).sum();
        List<Long> processes = cache.processes();
        String people = "%s: format %d, %d segments, %d entries, %d of them live: %s and %s dead; budget %s; open in %s"
                .formatted(
                        cache.path(),
                        cache.format(),
                        segments.size(),
                        entries,
                        live,
                        ByteSize.roundedUp(liveBytes),
                        ByteSize.roundedUp(deadBytes),
                        cache.budget() > 0 ? ByteSize.roundedUp(cache.budget()) : "unknown",
                        processes.isEmpty()
                                ? "no process"
                                : processes.stream().map(id -> "process " + id).collect(Collectors.joining(", ")));
        flags.print(people, "cache", node -> {
            node.put("directory", cache.path().toString())
                    .put("format", cache.format())
                    .put("segments", segments.size())
                    .put("entries", entries)
                    .put("live", live)
                    .put("live_bytes", liveBytes)
                    .put("dead_bytes", deadBytes)
                    .put("budget_bytes", cache.budget());
            processes.forEach(node.putArray("open_in")::add);
        });
    }

    private void segment(SegmentReport segment) {
        String people = "segment %s: %d entries, %d live: %s and %s dead%s"
                .formatted(
                        segment.name(),
                        segment.entries(),
                        segment.live(),
                        ByteSize.roundedUp(segment.liveBytes()),
                        ByteSize.roundedUp(segment.deadBytes()),
                        segment.damaged() == 0 ? "" : ", %d places damaged".formatted(segment.damaged()));
        flags.print(
                people,
                "segment",
                node -> node.put("name", segment.name())
                        .put("entries", segment.entries())
                        .put("live", segment.live())
                        .put("live_bytes", segment.liveBytes())
                        .put("dead_bytes", segment.deadBytes())
                        .put("damaged", segment.damaged()));
    }

    private void producer(Producer producer, LongSummaryStatistics held) {
        String people = "filled by %s: %d live entries, %s: %s, kept as %s"
                .formatted(
                        id(producer.id()),
                        held.getCount(),
                        ByteSize.roundedUp(held.getSum()),
                        words(producer),
                        producer.codec());
        flags.print(people, "filling", node -> {
            counts(node.put("id", id(producer.id())), held);
            producer.source().forEach(node.putArray("source")::add);
            producer.stages().forEach(node.putArray("stages")::add);
            node.put("codec", producer.codec());
        });
    }

    private static String words(Producer producer) {
        String source = String.join(" ", producer.source());
        return producer.stages().isEmpty() ? source : source + " -> " + String.join(" -> ", producer.stages());
    }

    private void unknown(LongSummaryStatistics held) {
        String people = "filled by an unknown pipeline: %d live entries, %s"
                .formatted(held.getCount(), ByteSize.roundedUp(held.getSum()));
        flags.print(people, "filling", node -> counts(node.putNull("id"), held));
    }

    private static void counts(ObjectNode node, LongSummaryStatistics held) {
        node.put("live", held.getCount()).put("live_bytes", held.getSum());
    }

    private static String id(int id) {
        return "%08x".formatted(id);
    }
}
