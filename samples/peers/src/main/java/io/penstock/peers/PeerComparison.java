package io.penstock.peers;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.Measured;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches and loaders of others beside ours: each is filled again in each round, and then read for several epochs.
 * Caches: one thread writes all values, and then reads them in shuffled order to the last byte in a batch; files are in
 * the page cache. The mapped file is no cache but the limit. Loaders: records of one file, cached, shuffled and stacked
 * into batches. Ours keeps encoded bytes in its tier and emits direct buffers. tf.data runs its own engine by
 * TensorFlow's Java binding. PyTorch's DataLoader has no cache, and is beside ours without one.
 */
final class PeerComparison {

    private static final Logger LOG = LoggerFactory.getLogger(PeerComparison.class);
    private static final String OURS = "Penstock, ";
    private static final String UNCACHED = "no cache";
    private static final String TORCH = "PyTorch, ";
    private static final String FILES = "files";
    private static final List<String> STATES = List.of("cold", "warm");
    private static final int EPOCHS = 8;
    private static final int FIRST_WARM =
            2; // the first epoch writes or loads; the second is the first to read that memory

    /** Seconds of each epoch of a peer that is empty at first. */
    private interface Peer {
        double[] seconds(Work work, Path data, Path folder) throws Exception;
    }

    private interface Opening {
        SampleStore at(Work work, Path folder) throws Exception;
    }

    private final Bench bench;
    private final Measured measured = new Measured();
    private final Map<String, Peer> caches = new LinkedHashMap<>();
    private final Map<String, Peer> loaders = new LinkedHashMap<>();

    private PeerComparison(Bench bench) {
        this.bench = bench;
        cache("mapped file", SampleStore::mapped);
        cache(OURS + "RAM", (work, folder) -> SampleStore.tier(ram(work)));
        cache(OURS + "disk", (work, folder) -> SampleStore.tier(disk(work, folder)));
        cache("Caffeine", (work, folder) -> SampleStore.caffeine(work));
        cache("LMDB", LmdbStore::new);
        cache(FILES, (work, folder) -> SampleStore.files(folder));
        loaders.put(OURS + "RAM", (work, data, folder) -> {
            try (Tier tier = ram(work)) {
                return work.seconds(tier, data, EPOCHS);
            }
        });
        loaders.put(OURS + "disk", (work, data, folder) -> {
            try (Tier tier = disk(work, folder)) {
                return work.seconds(tier, data, EPOCHS);
            }
        });
        loaders.put(OURS + UNCACHED, (work, data, folder) -> work.seconds(work.records(data), EPOCHS));
        loaders.put("tf.data", (work, data, folder) -> TensorFlowPeer.seconds(work, data, EPOCHS));
        loaders.put("DJL", (work, data, folder) -> DjlPeer.seconds(work, data, EPOCHS));
        TorchPeer.find().ifPresentOrElse(this::add, () -> LOG.warn(TorchPeer.MISSING));
    }

    private void add(TorchPeer torch) {
        for (int workers : List.of(0, 2)) {
            loaders.put(
                    TORCH + workers + " workers", (work, data, folder) -> torch.seconds(work, data, workers, EPOCHS));
        }
    }

    private void cache(String name, Opening opening) {
        caches.put(name, (work, data, folder) -> {
            try (SampleStore store = opening.at(work, folder)) {
                return work.seconds(store, EPOCHS);
            }
        });
    }

    private static Tier ram(Work work) {
        return RamTier.ofBytes(work.room());
    }

    private static Tier disk(Work work, Path folder) {
        return ChronicleTier.at(folder).maxBytes(work.room()).open();
    }

    static void run(Bench bench) {
        PeerComparison comparison = new PeerComparison(bench);
        List<Work> works = List.of(
                new Work(new MeasuredEpoch(bench.choose(40_000, 10_000), 1024, 256)),
                new Work(new MeasuredEpoch(bench.choose(3_000, 500), 150_528, 64)));
        ScratchFolder.with(folder -> comparison.measure(works, folder));
        for (Work work : works) {
            comparison.report("cache", comparison.caches, work);
            comparison.report("loader", comparison.loaders, work);
        }
    }

    private void measure(List<Work> works, Path folder) throws IOException {
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        for (Work work : works) {
            Path data = folder.resolve(work.sampleBytes() + ".bin");
            work.write(data);
            Path trial = folder.resolve("trial");
            caches.forEach((name, peer) -> trials.put(
                    "cache %s %s".formatted(name, work), round -> measure("cache", name, peer, work, data, trial)));
            loaders.forEach((name, peer) -> trials.put(
                    "loader %s %s".formatted(name, work), round -> measure("loader", name, peer, work, data, trial)));
        }
        // the first epochs of a loader in Java are mostly its compilation; Python begins anew each time, and the time
        // of files is the kernel's
        List<String> unrehearsed = List.of(TORCH, FILES);
        for (int rehearsal = bench.choose(4, 1); rehearsal > 0; rehearsal--) {
            trials.forEach((name, trial) -> {
                if (unrehearsed.stream().noneMatch(name::contains)) {
                    trial.accept(0);
                }
            });
        }
        measured.clear();
        bench.inTurn(bench.choose(7, 3), trials);
    }

    private void measure(String what, String name, Peer peer, Work work, Path data, Path folder) {
        try {
            double[] seconds = peer.seconds(work, data, folder);
            double warm = Rounds.quantile(Arrays.copyOfRange(seconds, FIRST_WARM, EPOCHS), 0.5);
            double micros = 1e6 / work.samples();
            measured.add(series(what, "cold", work), place(what, name), seconds[0] * micros);
            measured.add(series(what, "warm", work), place(what, name), warm * micros);
        } catch (Exception e) {
            throw new IllegalStateException("%s \"%s\" cannot be measured".formatted(what, name), e);
        } finally {
            ScratchFolder.delete(folder);
        }
    }

    private static String series(String what, String state, Work work) {
        return "%s, %s, %s".formatted(what, work, state);
    }

    private int place(String what, String name) {
        return 1
                + List.copyOf((what.equals("cache") ? caches : loaders).keySet())
                        .indexOf(name);
    }

    /** The one of ours beside which a peer is. */
    private static String ours(String what, String name) {
        boolean onDisk = what.equals("cache") && !name.equals("Caffeine");
        return OURS + (name.startsWith(TORCH) ? UNCACHED : onDisk ? "disk" : "RAM");
    }

    /** Each peer's time, and its ratio to ours. */
    private void report(String what, Map<String, Peer> peers, Work work) {
        for (String name : peers.keySet()) {
            for (String state : STATES) {
                String series = series(what, state, work);
                String words = "%s, %s: %s, %s".formatted(what, work, name, state);
                bench.found(words + ", a sample", measured.median(series, place(what, name)), "us");
                if (!name.startsWith(OURS) && !name.equals("mapped file")) {
                    double[] theirs = measured.values(series, place(what, name));
                    double[] ours = measured.values(series, place(what, ours(what, name)));
                    double over = Rounds.quantile(Rounds.ratios(theirs, ours), 0.5);
                    bench.atLeast(1, words + ", over ours", over, "times");
                }
            }
        }
        bench.draw(new Chart(
                "%ss-%d".formatted(what, work.sampleBytes()),
                "%ss beside ours, samples of %s".formatted(what, work),
                Chart.Axis.named(what, List.copyOf(peers.keySet())),
                Chart.Axis.logarithmic("time a sample [µs]"),
                STATES.stream()
                        .map(state ->
                                measured.line(state, series(what, state, work)).apart())
                        .toList()));
    }
}
