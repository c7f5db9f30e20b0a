package io.penstock.shard;

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
 */
final class SampleTable {

    private final int[] starts; // of each sample in files, then their number
    private final int[] files;
    private final int leftOut;
    private final int repeated;

    private SampleTable(int[] starts, int[] files, int leftOut, int repeated) {
        this.starts = starts;
        this.files = files;
        this.leftOut = leftOut;
        this.repeated = repeated;
    }

    private static final class Open {
        final int sample;
        final Set<String> extensions = new HashSet<>(4);

        Open(int sample) {
            this.sample = sample;
        }
    }

    /** The samples of an archive; if it is damaged, without the one that the damage may have taken a part of. */
    static SampleTable of(TarIndex index) {
        Map<String, Open> open = new HashMap<>();
        int[] sampleOf = new int[index.size()];
        int samples = 0;
        int leftOut = 0;
        int repeated = 0;
        int last = -1;
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
            last = sample.sample;
        }
        int dropped = index.damage().isEmpty() ? -1 : damaged(index, open, last);
        return sorted(sampleOf, samples, dropped, leftOut, repeated);
    }

    /** The sample that may lack a part: the one that the archive ends in, or the last if that is not known. */
    private static int damaged(TarIndex index, Map<String, Open> open, int last) {
        if (index.cutOff().isEmpty()) {
            return last;
        }
        SampleName name = SampleName.of(index.cutOff());
        Open sample = name == null ? null : open.get(name.key());
        return sample == null ? -1 : sample.sample;
    }

    private static SampleTable sorted(int[] sampleOf, int samples, int dropped, int leftOut, int repeated) {
        int[] number = new int[samples];
        int kept = 0;
        for (int sample = 0; sample < samples; sample++) {
            number[sample] = sample == dropped ? -1 : kept++;
        }
        int[] starts = new int[kept + 1];
        for (int sample : sampleOf) {
            if (sample >= 0 && number[sample] >= 0) {
                starts[number[sample] + 1]++;
            }
        }
        for (int sample = 0; sample < kept; sample++) {
            starts[sample + 1] += starts[sample];
        }
        int[] next = starts.clone();
        int[] files = new int[starts[kept]];
        for (int file = 0; file < sampleOf.length; file++) {
            if (sampleOf[file] >= 0 && number[sampleOf[file]] >= 0) {
                files[next[number[sampleOf[file]]]++] = file;
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

    /** How many files belong to no sample. */
    int leftOut() {
        return leftOut;
    }

    /** How many samples have the key of another before them. */
    int repeated() {
        return repeated;
    }
}
