package io.penstock.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizersTest {

    /** A whole tokenizer, of four words. */
    private static final String JSON = """
        {"version": "1.0", "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
         "padding": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
         "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
         "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "sample": 2, "is": 3, "drawn": 4}, "unk_token": "[UNK]"}}
        """;

    @TempDir
    private Path folder;

    private static List<Long> ids(Tensor tokens) {
        return IntStream.range(0, (int) tokens.shape().elements())
                .mapToObj(tokens::longAt)
                .toList();
    }

    @Test
    void bpe_ofWellKnownTexts_hasTheirTokens() {
        BpeTokenizer gpt4 = BpeTokenizer.of("cl100k_base");

        assertThat(ids(gpt4.apply("hello world"))).containsExactly(15339L, 1917L);
        assertThat(ids(BpeTokenizer.of("r50k_base").apply("hello world"))).containsExactly(31373L, 995L);
        assertThat(ids(BpeTokenizer.of("o200k_base").apply("hello world"))).containsExactly(24912L, 2375L);
        assertThat(gpt4.apply("")).hasToString("i32[0]");
        assertThat(gpt4.text(gpt4.apply("Grüße, 世界"))).isEqualTo("Grüße, 世界");
        assertThat(ids(gpt4.apply("<|endoftext|>"))).doesNotContain(100_257L).hasSizeGreaterThan(1);
    }

    @Test
    void bpe_withEndOfText_endsEachText() {
        BpeTokenizer gpt4 = BpeTokenizer.of("cl100k_base").endOfText();

        assertThat(ids(gpt4.apply("hello world"))).containsExactly(15339L, 1917L, 100_257L);
        assertThat(ids(BpeTokenizer.of("r50k_base").endOfText().apply(""))).containsExactly(50_256L);
        assertThat(ids(BpeTokenizer.of("o200k_base").endOfText().apply(""))).containsExactly(199_999L);
        assertThat(gpt4.text(gpt4.apply("hello"))).isEqualTo("hello");
        assertThat(gpt4.name()).isEqualTo("cl100k_base, end of text");
    }

    @Test
    void bpe_ofAnUnknownName_isRefused() {
        assertThatThrownBy(() -> BpeTokenizer.of("gpt"))
                .hasMessage("there is no encoding \"gpt\"; take one of r50k_base, p50k_base, p50k_edit, cl100k_base, "
                        + "o200k_base");
    }

    @Test
    void json_ofAFile_hasItsTokensUncut() throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), JSON);

        try (JsonTokenizer tokenizer = JsonTokenizer.open(file)) {
            assertThat(ids(tokenizer.apply("A sample is  drawn twice"))).containsExactly(1L, 2L, 3L, 4L, 0L);
            assertThat(tokenizer.name()).matches("tokenizer [0-9a-f]{16}");
        }
    }

    @Test
    void json_thatIsNone_isRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), "{}");

        assertThatThrownBy(() -> JsonTokenizer.open(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file + " is no tokenizer.json: ");
        assertThatThrownBy(() -> JsonTokenizer.open(folder.resolve("none")))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot read the tokenizer ");
    }
}
