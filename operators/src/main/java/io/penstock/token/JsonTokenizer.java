package io.penstock.token;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileWork;
import io.penstock.internal.OptionalLibrary;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

/**
 * The tokenizer of a {@code tokenizer.json} file, as models on Hugging Face's hub have it. A text becomes
 * {@code i32[n]}, with the special tokens that the file's own post-processor adds, and neither cut nor padded.
 *
 * <p>Needs {@code ai.djl.huggingface:tokenizers} on the class path, which runs Hugging Face's native library. That
 * library is unpacked from the jar. On a machine with CUDA another one is downloaded, unless {@code RUST_FLAVOR} is
 * {@code cpu} as an environment variable or a system property. On Amazon's machines it calls home, unless
 * {@code OPT_OUT_TRACKING} is {@code true}.
 *
 * <p>Thread-safe. Closing frees the native memory; a tokenizer that is used up to the end of a program need not be
 * closed.
 */
public final class JsonTokenizer implements Function<String, Tensor>, AutoCloseable {

    private final HuggingFaceTokenizer tokenizer;
    private final String name;

    private JsonTokenizer(HuggingFaceTokenizer tokenizer, String name) {
        this.tokenizer = tokenizer;
        this.name = name;
    }

    /**
     * Opens a file.
     * @throws StoreException if it cannot be read
     * @throws IllegalArgumentException if it is no tokenizer
     * @throws IllegalStateException if the library is not on the class path
     */
    public static JsonTokenizer open(Path file) {
        OptionalLibrary.TOKENIZERS.require(JsonTokenizer.class);
        byte[] json = FileWork.get("cannot read the tokenizer " + file, () -> Files.readAllBytes(file));
        try {
            Map<String, String> whole = Map.of("truncation", "false", "padding", "false");
            String hash = Fingerprint.of(new String(json, StandardCharsets.ISO_8859_1))
                    .hex();
            return new JsonTokenizer(
                    HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), whole),
                    "tokenizer " + hash.substring(0, 16));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("%s is no tokenizer.json: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** What decides the tokens, by a hash of the file: a name for the stage that makes them. */
    public String name() {
        return name;
    }

    /** The tokens of a text, {@code i32[n]}. */
    @Override
    public Tensor apply(String text) {
        return Tensor.ofInts(Arrays.stream(tokenizer.encode(text).getIds())
                .mapToInt(Math::toIntExact)
                .toArray());
    }

    @Override
    public void close() {
        tokenizer.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
