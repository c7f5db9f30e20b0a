package io.penstock.folder;

import io.penstock.cache.SampleKey;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.FileNames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A long list of files in little memory: 36 bytes and its path for each.
 *
 * <p>Paths lie end to end in blocks of {@value #BLOCK} files, so that their offsets are ints however many there are.
 * Keys are kept because a cache asks for one at every hit, and hashing a path takes longer than the hit. Labels are
 * kept by run: sorted paths of one class lie together.
 */
final class ImageTable {

    private static final int BLOCK = 4096;

    private final byte[][] paths;
    private final int[] ends; // of each path in its block
    private final long[] sizes;
    private final long[] versions;
    private final long[] keys;
    private final int[] runStarts;
    private final int[] runLabels;
    private final SampleKey all;

    ImageTable(String location, int depth, List<ImageListing.Found> images, List<String> labels) {
        int count = images.size();
        this.paths = new byte[(count + BLOCK - 1) / BLOCK][];
        this.ends = new int[count];
        this.sizes = new long[count];
        this.versions = new long[count];
        this.keys = new long[2 * count];
        int[] starts = new int[labels.size()];
        int[] labelOfRun = new int[labels.size()];
        int folder = 0; // the length of this run's, with its slash
        int runs = 0;
        SampleKey place = SampleKey.of("images", location);
        SampleKey together = place;
        for (int i = 0; i < count; i++) {
            ImageListing.Found image = images.get(i);
            String path = image.key();
            if (runs == 0 || !image.isIn(images.get(starts[runs - 1]), folder)) {
                String label = path.substring(0, ImageListing.folderEnd(path, depth));
                folder = label.getBytes(StandardCharsets.UTF_8).length + 1;
                starts[runs] = i;
                labelOfRun[runs++] = Collections.binarySearch(labels, label, FileNames.BY_BYTES);
            }
            sizes[i] = image.size();
            versions[i] = image.version();
            // the label belongs to the value: a new class changes the labels after it
            SampleKey key = place.with(SampleKey.of(path))
                    .with(image.size())
                    .with(image.version())
                    .with(labelOfRun[runs - 1]);
            keys[2 * i] = key.high();
            keys[2 * i + 1] = key.low();
            together = together.with(key);
        }
        for (int block = 0; block < paths.length; block++) {
            paths[block] = pack(images.subList(block * BLOCK, Math.min(count, (block + 1) * BLOCK)), block * BLOCK);
        }
        this.runStarts = Arrays.copyOf(starts, runs);
        this.runLabels = Arrays.copyOf(labelOfRun, runs);
        this.all = together;
    }

    private byte[] pack(List<ImageListing.Found> images, int first) {
        int end = 0;
        for (int i = 0; i < images.size(); i++) {
            end = Math.addExact(end, images.get(i).path().length);
            ends[first + i] = end;
        }
        byte[] packed = new byte[end];
        for (int i = 0; i < images.size(); i++) {
            byte[] path = images.get(i).path();
            System.arraycopy(path, 0, packed, ends[first + i] - path.length, path.length);
        }
        return packed;
    }

    int size() {
        return ends.length;
    }

    String path(int index) {
        int start = index % BLOCK == 0 ? 0 : ends[index - 1];
        return new String(paths[index / BLOCK], start, ends[index] - start, StandardCharsets.UTF_8);
    }

    StoreEntry entry(int index) {
        return new StoreEntry(path(index), sizes[index], versions[index]);
    }

    long bytes(int index) {
        return sizes[index];
    }

    SampleKey key(int index) {
        return new SampleKey(keys[2 * index], keys[2 * index + 1]);
    }

    int label(int index) {
        int found = Arrays.binarySearch(runStarts, index);
        return runLabels[found >= 0 ? found : -found - 2];
    }

    /** How many files each label has, by its name. */
    Map<String, Integer> counts(List<String> labels) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        labels.forEach(label -> counts.put(label, 0));
        for (int run = 0; run < runStarts.length; run++) {
            int end = run + 1 < runStarts.length ? runStarts[run + 1] : size();
            counts.merge(labels.get(runLabels[run]), end - runStarts[run], Integer::sum);
        }
        return Collections.unmodifiableMap(counts);
    }

    /** The key of all files in their order. */
    SampleKey all() {
        return all;
    }
}
