package io.penstock.token;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import io.penstock.internal.OptionalLibrary;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Byte pair encoding by the vocabularies of OpenAI's models, by name: {@code r50k_base} (GPT-2), {@code p50k_base},
 * {@code cl100k_base} (GPT-4), {@code o200k_base} (GPT-4o). A text becomes {@code i32[n]}.
 * <pre>{@code
 *  BpeTokenizer tokenizer = BpeTokenizer.of("cl100k_base").endOfText();
 *  Dataset<Tensor> tokens = texts.map(tokenizer.name(), tokenizer);
 * }</pre>
 *
 * <p>A text that spells a special token, such as {@code <|endoftext|>}, is encoded as the text that it is.
 *
 * <p>Needs {@code com.knuddels:jtokkit} on the class path, which has the vocabularies within; nothing is downloaded.
 * Thread-safe.
 */
public final class BpeTokenizer implements Function<String, Tensor> {

    private final Encoding encoding;
    private final int end;

    private BpeTokenizer(Encoding encoding, int end) {
        this.encoding = encoding;
        this.end = end;
    }

    /**
     * The tokenizer of a name. Reads its vocabulary, which takes a part of a second.
     * @throws IllegalArgumentException if there is none of this name
     * @throws IllegalStateException if JTokkit is not on the class path
     */
    public static BpeTokenizer of(String name) {
        OptionalLibrary.JTOKKIT.require(BpeTokenizer.class);
        return new BpeTokenizer(encoding(name), -1);
    }

    private static Encoding encoding(String name) {
        EncodingType type = EncodingType.fromName(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no encoding \"%s\"; take one of %s"
                        .formatted(
                                name,
                                Arrays.stream(EncodingType.values())
                                        .map(EncodingType::getName)
                                        .collect(Collectors.joining(", ")))));
        return Encodings.newLazyEncodingRegistry().getEncoding(type);
    }

    /** The same with the encoding's end-of-text token behind each text, so that packed texts are told apart. */
    public BpeTokenizer endOfText() {
        return new BpeTokenizer(
                encoding,
                switch (encoding.getName()) {
                    case "cl100k_base" -> 100_257;
                    case "o200k_base" -> 199_999;
                    default -> 50_256;
                });
    }

    /** What decides the tokens: a name for the stage that makes them. */
    public String name() {
        return encoding.getName() + (end < 0 ? "" : ", end of text");
    }

    /** The tokens of a text, {@code i32[n]}. */
    @Override
    public Tensor apply(String text) {
        int[] tokens = encoding.encodeOrdinary(text).toArray();
        return Tensor.ofInts(
                end < 0
                        ? tokens
                        : IntStream.concat(Arrays.stream(tokens), IntStream.of(end))
                                .toArray());
    }

    /** The text of tokens, of whole numbers of any dtype; an end-of-text token is left out. */
    public String text(Tensor tokens) {
        IntArrayList list = new IntArrayList();
        for (int i = 0; i < tokens.shape().elements(); i++) {
            int token = Math.toIntExact(tokens.longAt(i));
            if (token != end) {
                list.add(token);
            }
        }
        return encoding.decode(list);
    }

    @Override
    public String toString() {
        return name();
    }
}
