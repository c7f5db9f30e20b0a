package io.penstock.zarr;

/**
 * The keys of chunks.
 *
 * @param prefixed  whether they begin with {@code c}, as v3's do
 * @param separator between the numbers
 */
record ChunkKeys(boolean prefixed, char separator) {

    String of(long[] coordinates) {
        StringBuilder key = new StringBuilder(prefixed ? "c" : coordinates.length == 0 ? "0" : "");
        for (int i = 0; i < coordinates.length; i++) {
            if (i > 0 || prefixed) {
                key.append(separator);
            }
            key.append(coordinates[i]);
        }
        return key.toString();
    }
}
