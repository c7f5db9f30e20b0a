package io.penstock.bench.experiment;

import io.penstock.bench.Finding;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Files of an experiment: {@code NAME.csv} with median, range and number of repetitions of each place, a PNG file for each
 * chart, and one page that has it all and needs no other file.
 *
 * @param name       of the experiment
 * @param command    that measures it again
 * @param about      the experiment, in half a line
 * @param explained  how it was measured, in sentences
 * @param conditions what it was measured on, and how
 * @param results    all that was measured
 * @param charts     to draw
 * @param findings   to list
 */
record Report(
        String name,
        String command,
        String about,
        List<String> explained,
        Map<String, String> conditions,
        Results results,
        List<Chart> charts,
        List<Finding> findings) {

    /** A place of a line. */
    record Place(String figure, String series, double x) {}

    /**
     * Writes the files, over those of an earlier report.
     * @throws StoreException if it cannot
     */
    void write(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name + ".csv"), csv());
            Map<Chart, byte[]> drawn = new LinkedHashMap<>();
            for (Chart chart : charts) {
                byte[] png = Plot.png(chart);
                Files.write(folder.resolve(name + "-" + chart.file() + ".png"), png);
                drawn.put(chart, png);
            }
            Files.writeString(page(folder), new Page(this, drawn).html());
        } catch (IOException e) {
            throw new StoreException("cannot write the report of \"%s\" to %s: %s".formatted(name, folder, e), e);
        }
    }

    /** Where the page is. */
    Path page(Path folder) {
        return folder.resolve(name + ".html");
    }

    /** Every place of every line, in the order in which they were first measured. */
    Set<Place> places() {
        Set<Place> places = new LinkedHashSet<>();
        results.rows().stream()
                .map(Results.Row::measured)
                .forEach(one -> places.add(new Place(one.figure(), one.series(), one.x())));
        return places;
    }

    private String csv() {
        StringBuilder text = new StringBuilder("figure,series,x,median,least,most,rounds\n");
        for (Place place : places()) {
            Spread spread = results.spread(place.figure, place.series, place.x);
            text.append("%s,%s,%s,%s,%s,%s,%d%n"
                    .formatted(
                            place.figure,
                            place.series,
                            Double.toString(place.x),
                            Double.toString(spread.median()),
                            Double.toString(spread.least()),
                            Double.toString(spread.most()),
                            spread.count()));
        }
        return text.toString();
    }
}
