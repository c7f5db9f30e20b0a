package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, as a person uses it. {@code -Dpenstock.screenshots=DIR} keeps what it looked like. */
@Tag("endurance")
class LivePageBrowserTest {

    private static final int SPACE = 32;
    private static final int HOME = 36;

    @TempDir
    private Path folder;

    private static void keep(Browser browser, String name) throws Exception {
        String directory = System.getProperty("penstock.screenshots");
        byte[] png = browser.screenshot();
        assertThat(png).startsWith(0x89, 'P', 'N', 'G');
        if (directory != null) {
            Files.write(Path.of(directory, name + ".png"), png);
        }
    }

    /** Clicks what a person would see, and waits for the words that answer. */
    private static void click(Browser browser, String script, String said) {
        browser.evaluate("document.getElementById('said').textContent = ''; %s.click()".formatted(script));
        browser.await("document.getElementById('said').textContent.includes('%s')".formatted(said));
    }

    private static String radio(String value) {
        return "document.querySelector('input[value=%s]')".formatted(value);
    }

    private static String count(String id) {
        return "Number(document.getElementById('%s').textContent.replaceAll(',', ''))".formatted(id);
    }

    @Test
    void page_inABrowser_showsTheRunAndSteersIt() throws Exception {
        try (Browser browser = Browser.startOrSkip(folder);
                LiveSession session = new LiveSession(folder)) {
            browser.size(1280, 900, false);
            browser.open(session.address());

            browser.await("[...document.querySelectorAll('figure:not([hidden]) img')].length >= 8"
                    + " && [...document.querySelectorAll('figure:not([hidden]) img')]"
                    + ".every(i => i.naturalWidth === 224 || i.naturalWidth === 200)");
            browser.await("document.querySelectorAll('figure:not([hidden]) svg > image').length >= 2"
                    + " && document.querySelectorAll('figure:not([hidden]) rect').length >= 4");
            browser.await("document.getElementById('epochs').rows.length >= 2");
            keep(browser, "desktop");
            everyControlWorks(browser);
            numbersAgree(browser, session);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void mixture_inABrowser_isShownAndFitsANarrowScreen() throws Exception {
        try (Browser browser = Browser.startOrSkip(folder);
                LiveSession session = new LiveSession(folder, 0.7, 0.3)) {
            browser.size(1280, 900, false);
            browser.open(session.address());
            browser.await("document.getElementById('sources').rows.length === 2"
                    + " && document.getElementById('epochs').rows.length >= 2");
            browser.await("document.getElementById('sources').rows[0].innerText.includes('pictures-0')"
                    + " && document.getElementById('sources').rows[0].innerText.includes('70.0 %')");
            keep(browser, "mixture");
            browser.size(390, 844, false);
            browser.await("document.documentElement.scrollWidth <= 390");
            browser.await("[...document.getElementById('epochs').rows].slice(6).every(row => row.offsetHeight === 0)");
            keep(browser, "mixture-narrow");
            browser.prefer("prefers-color-scheme", "dark");
            keep(browser, "mixture-narrow-dark");
            browser.size(1280, 900, false);
            keep(browser, "mixture-dark");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void everyControlWorks(Browser browser) {
        browser.evaluate("document.getElementById('pace').focus()");
        browser.press("Home", HOME);
        browser.await("document.getElementById('said').textContent === 'the consumer takes 0 ms for each batch of 32'");
        browser.await("document.getElementById('pace-shown').textContent === '0 ms a batch'");

        click(browser, radio("fails"), "the source fails");
        click(browser, "document.getElementById('drop')", "samples are forgotten");
        browser.await(count("skipped") + " > 0 && !document.getElementById('failure').hidden");
        click(browser, radio("stalls"), "does not answer");
        browser.await("document.getElementById('verdict').textContent.startsWith('nothing is delivered')");
        click(browser, radio("slow"), "late");
        long before = browser.evaluate(count("samples")).asLong();
        browser.await(count("samples") + " > " + (before + 100));
        click(browser, radio("works"), "the source works");
        browser.await("document.getElementById('failure').hidden");
        browser.await("document.getElementById('said').textContent === ''");
        browser.await("Number(document.getElementById('top').textContent.replaceAll(',', '')) > 1");

        browser.evaluate("const ranks = document.getElementById('ranks'); ranks.value = '7';"
                + " ranks.dispatchEvent(new Event('change'))");
        browser.await("document.querySelectorAll('#order tr').length === 7");

        browser.evaluate("document.getElementById('pause').focus()");
        browser.press(" ", SPACE);
        browser.await("document.getElementById('pause').textContent === 'Resume'");
        browser.press(" ", SPACE);
        browser.await("document.getElementById('pause').textContent === 'Pause'");
        click(browser, "document.getElementById('pause')", "paused");
    }

    private static void numbersAgree(Browser browser, LiveSession session) throws Exception {
        session.frameWhere(state -> state.path("paused").asBoolean());
        JsonNode frame = session.settled();
        for (String id : List.of("samples", "loads", "skipped")) {
            browser.await("%s === %d"
                    .formatted(count(id), frame.path("totals").path(id).asLong()));
        }
        JsonNode last = session.reported().get(session.reported().size() - 1);
        browser.await("[...document.getElementById('epochs').rows[0].cells].map(c => c.textContent.replaceAll(',', ''))"
                + ".filter((c, i) => ![2, 3].includes(i)).join() === '%s,%s,%s,%s,%s,%s,%s'"
                        .formatted(
                                last.path("epoch"),
                                last.path("samples"),
                                last.path("loads"),
                                last.path("hits").path("ram"),
                                last.path("hits").path("disk"),
                                last.path("misses"),
                                last.path("skipped")));
    }

    @Test
    void page_onAPhone_fitsItsWidthAndNamesWhatItHas() throws Exception {
        try (Browser browser = Browser.startOrSkip(folder);
                LiveSession session = new LiveSession(folder)) {
            browser.size(360, 740, true);
            browser.prefer("prefers-color-scheme", "dark");
            browser.open(session.address());
            browser.await("document.querySelectorAll('figure:not([hidden])').length >= 4"
                    + " && document.getElementById('epochs').rows.length >= 1");
            keep(browser, "phone");

            assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(360);
            assertThat(browser.evaluate("[...document.querySelectorAll('input, select, button')]"
                                    + ".filter(e => !(e.labels && e.labels.length) && !e.textContent.trim()).length")
                            .asInt())
                    .as("controls without a name")
                    .isZero();
            assertThat(browser.evaluate("[...document.images].filter(i => !i.alt).length")
                            .asInt())
                    .as("pictures without words")
                    .isZero();
            assertThat(browser.evaluate(
                                    "[...document.querySelectorAll('button, select, input[type=range], fieldset label')]"
                                            + ".filter(e => e.getBoundingClientRect().height < 24).length")
                            .asInt())
                    .as("targets too small for a finger")
                    .isZero();
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
