package io.penstock.cli.stream;

import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.source.Tokenize;
import io.penstock.internal.Arguments;
import io.penstock.pack.PackedRow;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for texts: their tokens, and rows of them. */
final class TextFlags {

    @Option(names = "--tokenize", paramLabel = "bytes|NAME|FILE")
    @Nullable String tokenize;

    @Option(names = "--text-field", paramLabel = "NAME")
    private String textField = "text";

    @Option(names = "--pack", paramLabel = "N", converter = NumberFlag.Count.class)
    @Nullable Integer pack;

    @Option(names = "--too-long", paramLabel = "fail|cut|split")
    private @Nullable TooLong tooLong;

    /** Makes tokens of texts; null where they stay bytes. */
    @Nullable Tokenize tokenizer() {
        return tokenize == null ? null : Tokenize.of(tokenize, textField);
    }

    /** Rows of texts of these lengths. Where they are not packed, nothing calls it. */
    Feed<PackedRow> packed(Cacheable<Tensor> samples, Dataset<Tensor> tokens, int[] lengths) {
        Dataset<PackedRow> rows = Packing.of(Objects.requireNonNull(pack, "--pack"))
                .tooLong(Objects.requireNonNullElse(tooLong, TooLong.FAIL))
                .over(tokens, lengths);
        return new Feed<>(samples, new SampleRows.Single<>(Schema.of(PackedRow.class)), List.of(), rows, Map.of());
    }

    void check(OrderFlags order) {
        Arguments.refuse(pack != null && tokenize == null, "--pack needs --tokenize: it packs tokens into rows");
        if (tooLong != null && pack == null) {
            throw new IllegalArgumentException("--too-long needs --pack: it is for texts that are longer than a row");
        }
        if (pack != null && order.isMixed()) {
            throw new IllegalArgumentException(
                    "--pack and --weights exclude each other: a row has texts of all sources");
        }
        if (pack != null && order.lazyShard != null) {
            throw new IllegalArgumentException(
                    "--pack and --lazy-shard exclude each other: a lazy shard has the samples"
                            + " that a cache holds, and all texts are loaded for their lengths");
        }
    }
}
