package io.penstock.bench.suite;

import java.util.Map;
import java.util.TreeMap;

/**
 * The algorithm of Grain's {@code BestFitPackIterDataset}, written from its description: each sequence goes to the
 * open bin that it leaves the least room in; where it fits in none and all bins are in use, all are emitted.
 * @see <a href="https://github.com/google/grain/blob/main/grain/_src/python/dataset/transformations/packing.py">Grain</a>
 */
public final class OpenBins {

    private OpenBins() {}

    /** How many rows of {@code size} tokens sequences of these lengths take, with this number of open bins. */
    public static long rows(Iterable<Integer> lengths, int size, int bins) {
        TreeMap<Integer, Integer> rooms = new TreeMap<>(); // how many open bins have a room
        int open = 0;
        long rows = 0;
        for (int length : lengths) {
            Map.Entry<Integer, Integer> tightest = rooms.ceilingEntry(length);
            int room = size;
            if (tightest != null) {
                room = tightest.getKey();
                rooms.merge(room, -1, (count, less) -> count + less == 0 ? null : count + less);
            } else {
                if (open == bins) {
                    rooms.clear();
                    open = 0;
                }
                open++;
                rows++;
            }
            rooms.merge(room - length, 1, Integer::sum);
        }
        return rows;
    }
}
