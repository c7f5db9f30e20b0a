package io.penstock.shard;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which files of an archive make up each sample: 4 bytes a file and 4 a sample.
 *
 * <p>Files of one key belong together wherever they lie in the archive; samples are in the order of their first files.
 * When a key has a part of an extension already, another sample of that key begins: nothing is lost or overwritten, and
 * {@link TarSamples#parts} reports a missing part.
 *
 * @param starts   of each sample in files, then their number
 * @param leftOut  how many files belong to no sample
 * @param repeated how many samples have the key of another before them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SampleTable(int[] starts, int[] files, int leftOut, int repeated) {

    private static final class Open {
        final int sample;
        final Set<String> extensions = new HashSet<>(4);

        Open(int sample) {
            this.sample = sample;
        }
    }

    /** The samples of an archive. */
    static SampleTable of(TarIndex index) {
        Map<String, Open> open = new HashMap<>();
        int[] sampleOf = new int[index.size()];
        int samples = 0;
        int leftOut = 0;
        int repeated = 0;
        for (int file = 0; file < sampleOf.length; file++) {
            SampleName name = SampleName.of(index.name(file));
            sampleOf[file] = -1;
            if (name == null) {
                leftOut++;
                continue;
            }
            Open sample = open.get(name.key());
            if (sample == null || !sample.extensions.add(name.extension())) {
                repeated += sample == null ? 0 : 1;
                sample = new Open(samples++);
                sample.extensions.add(name.extension());
                open.put(name.key(), sample);
            }
            sampleOf[file] = sample.sample;
        }
        return sorted(sampleOf, samples, leftOut, repeated);
    }

    private static SampleTable sorted(int[] sampleOf, int samples, int leftOut, int repeated) {
        int[] starts = new int[samples + 1];
        for (int sample : sampleOf) {
            if (sample >= 0) {
                starts[sample + 1]++;
            }
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] next = starts.clone();
        int[] files = new int[starts[samples]];
        for (int file = 0; file < sampleOf.length; file++) {
            if (sampleOf[file] >= 0) {
                files[next[sampleOf[file]]++] = file;
            }
        }
        return new SampleTable(starts, files, leftOut, repeated);
    }

    int size() {
        return starts.length - 1;
    }

    /** How many parts a sample has. */
    int parts(int sample) {
        return starts[sample + 1] - starts[sample];
    }

    /** The file in the archive that is a sample's part. */
    int file(int sample, int part) {
        return files[starts[sample] + part];
    }
}
