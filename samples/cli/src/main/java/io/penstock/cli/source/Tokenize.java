package io.penstock.cli.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.internal.Arguments;
import io.penstock.internal.JsonReason;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import io.penstock.token.BpeTokenizer;
import io.penstock.token.JsonTokenizer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Texts as tokens, {@code i32[n]}, as {@code --tokenize} says it: their bytes, an encoding's, a tokenizer.json's.
 *
 * @param field of JSON lines that has the text
 */
public record Tokenize(String name, Function<String, Tensor> tokens, String field) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BYTES = "bytes";

    /**
     * Opens the tokenizer of a flag.
     * @param field of JSON lines that has the text
     * @throws IllegalArgumentException if there is none of this name
     */
    public static Tokenize of(String tokenizer, String field) {
        if (tokenizer.equals(BYTES)) {
            return new Tokenize(BYTES, Tokenize::bytes, field);
        }
        Path file = Path.of(tokenizer);
        if (Files.isRegularFile(file)) {
            JsonTokenizer json = JsonTokenizer.open(file);
            return new Tokenize(json.name(), json, field);
        }
        Arguments.refuse(tokenizer.endsWith(".json"), "there is no tokenizer %s", file);
        BpeTokenizer bpe = BpeTokenizer.of(tokenizer).endOfText();
        return new Tokenize(bpe.name(), bpe, field);
    }

    private static Tensor bytes(String text) {
        return ints(Tensor.ofBytes(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Tensor ints(Tensor bytes) {
        int[] values = new int[bytes.byteSize()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (int) bytes.longAt(i);
        }
        return Tensor.ofInts(values);
    }

    /** The tokens of lines, which come as bytes. */
    Dataset<Tensor> over(Dataset<Tensor> lines, boolean json) {
        return json
                ? lines.map("tokens %s of %s".formatted(name, field), line -> tokens.apply(text(line)))
                : lines.map("tokens " + name, line -> name.equals(BYTES) ? ints(line) : tokens.apply(decoded(line)));
    }

    private static String decoded(Tensor line) {
        ByteBuffer bytes = ByteBuffer.wrap(line.toByteArray());
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new FormatException(
                    "byte %d of the line is no UTF-8; --tokenize bytes takes any".formatted(bytes.position()), e);
        }
    }

    private String text(Tensor line) {
        JsonNode object;
        try {
            object = JSON.readTree(decoded(line));
        } catch (JsonProcessingException e) {
            throw new FormatException("the line is no JSON: " + JsonReason.of(e.getOriginalMessage()), e);
        }
        JsonNode text = object.get(field);
        if (text == null || !text.isTextual()) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            throw new FormatException(
                    "the line has no text \"%s\", only %s; name another by --text-field".formatted(field, names));
        }
        return text.textValue();
    }
}
