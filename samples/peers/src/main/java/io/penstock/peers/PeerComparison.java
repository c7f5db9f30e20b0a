package io.penstock.peers;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Caches and loaders of others beside ours: each is filled again in each round, and then read for several epochs. */
final class PeerComparison extends Experiment {

    private static final String COLD = "cold";
    private static final String WARM = "warm";
    private static final String OURS = "Penstock, ";
    private static final int EPOCHS = 8;
    private static final int FIRST_WARM = 2; // the first epoch writes or loads; the second is the first to read that memory
    private static final long SPARE = 64L << 20;

    private final List<PeerLoad> loads;
    private final int rehearsals; // not measured: the first epochs of a loader in Java are mostly its compilation
    private final Map<String, Peer.Kind> stores = new LinkedHashMap<>();
    private final Map<String, Peer.Kind> loaders = new LinkedHashMap<>();
    private final Map<PeerLoad, Path> data = new LinkedHashMap<>();

    PeerComparison(BenchOptions options) {
        super(options.choose(7, 3));
        this.loads = List.of(
                new PeerLoad(options.choose(40_000, 10_000), 1024, 256),
                new PeerLoad(options.choose(3_000, 500), 150_528, 64));
        this.rehearsals = options.choose(6, 1);
        store("mapped file", (load, folder) -> new MappedFileStore(folder, load.samples(), load.sampleBytes()));
        store(OURS + "RAM", (load, folder) -> new TierStore(ram(load)));
        store(OURS + "disk", (load, folder) -> new TierStore(disk(load, folder)));
        store("Caffeine", (load, folder) -> new CaffeineStore(room(load)));
        store("LMDB", (load, folder) -> new LmdbStore(folder, 2 * room(load)));
        store("files", (load, folder) -> new PlainFilesStore(folder));
        store("RocksDB", (load, folder) -> new RocksStore(folder));
        store("Ehcache", (load, folder) -> new EhcacheStore(folder, room(load)));
        loaders.put(OURS + "RAM", (load, file, folder) -> new PipelinePeer(ram(load), load, file));
        loaders.put(OURS + "disk", (load, file, folder) -> new PipelinePeer(disk(load, folder), load, file));
        loaders.put("tf.data", (load, file, folder) -> new TensorFlowPeer(load, file));
        loaders.put("DJL", (load, file, folder) -> new DjlPeer(load, file));
    }

    /** Opens a cache. */
    @FunctionalInterface
    private interface Opening {
        SampleStore at(PeerLoad load, Path folder) throws Exception;
    }

    private void store(String peer, Opening opening) {
        stores.put(peer, (load, file, folder) -> new StorePeer(opening.at(load, folder), load));
    }

    private static long room(PeerLoad load) {
        return load.samples() * (load.sampleBytes() + 512L) * 2 + SPARE;
    }

    private static Tier ram(PeerLoad load) {
        return RamTier.ofBytes(room(load));
    }

    private static Tier disk(PeerLoad load, Path folder) {
        return ChronicleTier.at(folder).maxBytes(room(load)).open();
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> words = new LinkedHashMap<>();
        loads.forEach(load -> words.put(
                "samples of " + load,
                "%d of %d B in batches of %d".formatted(load.samples(), load.sampleBytes(), load.batch())));
        words.put("caches", String.join("; ", stores.keySet()));
        words.put("loaders", String.join("; ", loaders.keySet()));
        return words;
    }

    @Override
    public List<String> explained() {
        return List.of(
                "Caches: one thread writes all values, and then reads them in shuffled order to the last byte in a"
                        + " batch, seven times; the median of all but the first is shown. Files are in the page cache."
                        + " The mapped file is no cache but the limit: a bare copying loop.",
                "Loaders: records of one file, cached, shuffled and stacked into batches; the first epoch is cold,"
                        + " warm is the median of the third to the eighth. Ours keeps encoded bytes in its tier and"
                        + " emits direct buffers; tf.data runs its own engine by TensorFlow's Java binding, with"
                        + " cache() in memory and a shuffle over all; DJL has no cache, so its data set keeps what it"
                        + " has read in arrays, and hands them to its engine.",
                MARKERS);
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (PeerLoad load : loads) {
            trials.addAll(trials("cache", stores, load));
            trials.addAll(trials("loader", loaders, load));
        }
        return trials;
    }

    private List<Trial> trials(String what, Map<String, Peer.Kind> peers, PeerLoad load) {
        List<Trial> trials = new ArrayList<>();
        peers.forEach((peer, kind) -> {
            int place = 1 + trials.size();
            trials.add(new Trial(
                    "%s %s %s".formatted(what, peer.replace(",", ""), load),
                    round -> measured(what, place, kind, load)));
        });
        return trials;
    }

    @Override
    protected void prepare(Path folder, Consumer<String> progress) {
        System.setProperty("DJL_CACHE_DIR", folder.resolve("djl").toString()); // DJL unpacks 430 MB there
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ai.djl.offline", "true");
        for (PeerLoad load : loads) {
            progress.accept("writing samples of " + load);
            data.put(load, load.write(folder));
        }
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < rehearsals; time++) {
            for (Trial trial : trials()) {
                var unused = trial.run().apply(rounds());
            }
        }
    }

    private List<Measurement> measured(String what, int place, Peer.Kind kind, PeerLoad load) {
        Path file = Objects.requireNonNull(data.get(load), "prepared");
        double[] seconds = inFolder(folder -> {
            try (Peer peer = kind.open(load, file, folder)) {
                return peer.seconds(EPOCHS);
            } catch (Exception e) {
                throw new IllegalStateException("%s %d cannot be measured".formatted(what, place), e);
            }
        });
        double micros = 1e6 / load.samples();
        double warm =
                Spread.of(Arrays.copyOfRange(seconds, FIRST_WARM, EPOCHS)).median();
        return List.of(
                new Measurement(figure(what, COLD), load.toString(), place, seconds[0] * micros),
                new Measurement(figure(what, WARM), load.toString(), place, warm * micros));
    }

    private static String figure(String what, String state) {
        return what + " " + state + " [us]";
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        List<Chart> charts = new ArrayList<>();
        for (PeerLoad load : loads) {
            charts.add(chart("cache", "Caches, samples of " + load, stores, load, measurements));
            charts.add(chart("loader", "Loaders from file to batch, samples of " + load, loaders, load, measurements));
        }
        return charts;
    }

    private static Chart chart(
            String what, String title, Map<String, Peer.Kind> peers, PeerLoad load, Measurements measurements) {
        String series = load.toString();
        boolean cache = what.equals("cache");
        return new Chart(
                what + "s-" + load.sampleBytes(),
                title,
                Chart.Axis.named(what, List.copyOf(peers.keySet())),
                Chart.Axis.logarithmic("time a sample [µs]"),
                List.of(
                        measurements.line(cache ? "written" : "first epoch", figure(what, COLD), series)
                                .apart(),
                        measurements.line(cache ? "read" : "warm epoch", figure(what, WARM), series)
                                .apart()));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        for (PeerLoad load : loads) {
            results.addAll(results("cache", stores, load, measurements));
            results.addAll(results("loader", loaders, load, measurements));
        }
        return results;
    }

    /** Each peer's time, and its ratio to ours: to the tier on disk for caches on disk, to RAM for the rest. */
    private List<Result> results(String what, Map<String, Peer.Kind> peers, PeerLoad load, Measurements measurements) {
        List<String> names = List.copyOf(peers.keySet());
        List<Result> results = new ArrayList<>();
        for (String peer : names) {
            boolean memory = what.equals("loader") || peer.equals("Caffeine");
            int ours = 1 + names.indexOf(OURS + (memory ? "RAM" : "disk"));
            int place = 1 + names.indexOf(peer);
            for (String state : List.of(WARM, COLD)) {
                String figure = figure(what, state);
                String words = "%s, %s: %s, %s".formatted(what, load, peer, state);
                results.add(
                        Result.of(words + ", a sample", measurements.median(figure, load.toString(), place), "us"));
                if (!peer.startsWith(OURS) && !peer.equals("mapped file")) {
                    double over = Spread.ratio(
                            measurements.values(figure, load.toString(), place),
                            measurements.values(figure, load.toString(), ours));
                    results.add(Result.of(words + ", over ours", over, "times").atLeast(0, 1));
                }
            }
        }
        return results;
    }
}
