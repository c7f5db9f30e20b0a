package io.penstock.cli.stream;

import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.SourceChoice;
import io.penstock.pack.TooLong;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of {@code stream} for texts: tokens, rows and batches of them. Numbered with {@link StreamOptions}. */
public final class TextOptions {

    @Option(
            order = 80,
            names = "--tokenize",
            paramLabel = "bytes|NAME|FILE",
            description = "Make tokens of text: and jsonl:, by bytes, an encoding (cl100k_base) or a tokenizer.json.")
    @Nullable String tokenize;

    @Option(
            order = 90,
            names = "--text-field",
            paramLabel = "NAME",
            description = "The field of jsonl: that has the text to tokenize (default: text).")
    String textField = "text";

    @Option(
            order = 100,
            names = "--pack",
            paramLabel = "N",
            converter = NumberFlag.Count.class,
            description = "Pack the tokens of several texts into rows of N, with segments, positions and a loss mask.")
    @Nullable Integer pack;

    @Option(
            order = 110,
            names = "--too-long",
            paramLabel = "fail|cut|split",
            converter = Flags.TooLongs.class,
            description = "What to do with a text of more than N tokens (default: fail).")
    @Nullable TooLong tooLong;

    @Option(
            order = 210,
            names = "--batch-tokens",
            paramLabel = "N",
            converter = NumberFlag.Count.class,
            description = "Batches of tokenized texts of similar lengths, of at most N tokens with the padding.")
    @Nullable Integer batchTokens;

    /** Those that were given, and the defaults of the others. */
    static TextOptions of(StreamOptions options) {
        return Objects.requireNonNullElseGet(options.texts(), TextOptions::new);
    }

    /** Null where texts are not tokenized. */
    SourceChoice.@Nullable Texts choice() {
        return tokenize == null ? null : new SourceChoice.Texts(tokenize, textField);
    }

    /** @throws IllegalArgumentException if they do not fit to one another or to other flags */
    void requireConsistent(StreamOptions others) {
        if (pack != null && tokenize == null) {
            throw new IllegalArgumentException("--pack needs --tokenize: it packs tokens into rows");
        }
        if (batchTokens != null && tokenize == null) {
            throw new IllegalArgumentException("--batch-tokens needs --tokenize: it counts tokens");
        }
        if (tooLong != null && pack == null) {
            throw new IllegalArgumentException("--too-long needs --pack: it is for texts that are longer than a row");
        }
        if (pack != null && others.weights() != null) {
            throw new IllegalArgumentException(
                    "--pack and --weights exclude each other: a row has texts of all sources");
        }
        if (pack != null && others.lazyShard() != null) {
            throw new IllegalArgumentException(
                    "--pack and --lazy-shard exclude each other: a lazy shard has the samples"
                            + " that a cache holds, and all texts are loaded for their lengths");
        }
    }
}
