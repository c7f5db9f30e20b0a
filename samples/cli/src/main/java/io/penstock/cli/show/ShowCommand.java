package io.penstock.cli.show;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.ArrayRegion;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.report.TableReporter;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.source.Sources;
import io.penstock.cli.source.StorePlace;
import io.penstock.internal.Arguments;
import io.penstock.internal.Digests;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.ZarrArray;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import reactor.core.Exceptions;

/** {@code penstock show}: what a source is, one of its samples, a part of an array, or a checksum of all. */
@Command(name = "show", description = "Say what sources are, and show their samples.")
public final class ShowCommand implements Callable<Integer> {

    private static final String STANDARD_INPUT = "-";

    @Mixin
    private final OutputFlags output = new OutputFlags();

    @Parameters(
            arity = "1..*",
            paramLabel = "SOURCE",
            description = "As for stream --source; - reads them from standard input, one a line.")
    private List<String> sources;

    @Option(names = "--index", paramLabel = "I", converter = NumberFlag.Index.class)
    private @Nullable Long index;

    @Option(names = "--region", paramLabel = "0:5,:,2:9")
    private @Nullable ArrayRegion region;

    @Option(names = "--raw")
    private boolean raw;

    @Option(names = "--checksum")
    private boolean checksum;

    @Option(names = "--depth", paramLabel = "N", converter = NumberFlag.Levels.class)
    private @Nullable Integer depth;

    @Option(names = "--mirror", paramLabel = "DIR[,SIZE]")
    private @Nullable DiskSpec mirror;

    @Override
    public Integer call() {
        requireConsistent();
        List<String> named = named();
        if (named.isEmpty()) {
            throw output.wrong("standard input names no source: one a line was expected, it is empty");
        }
        Output out = output.out();
        boolean failed = false;
        for (String source : named) {
            try {
                show(source, out);
            } catch (Output.Failed e) {
                throw e;
            } catch (RuntimeException e) {
                if (raw) {
                    throw e;
                }
                failed = true;
                fail(source, Exceptions.unwrap(e), out);
            }
        }
        return failed ? 1 : 0;
    }

    private void requireConsistent() {
        if (index != null && region != null) {
            throw output.wrong("--index and --region exclude each other");
        }
        if (raw && (output.json() || checksum || sources.size() > 1 || sources.contains(STANDARD_INPUT))) {
            throw output.wrong("--raw writes the bytes of one source, and nothing else");
        }
    }

    private List<String> named() {
        List<String> named = new ArrayList<>();
        for (String source : sources) {
            if (source.equals(STANDARD_INPUT)) {
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                        .lines()
                        .filter(line -> !line.isBlank())
                        .forEach(line -> named.add(line.trim()));
            } else {
                named.add(source);
            }
        }
        return named;
    }

    private void fail(String source, Throwable cause, Output out) {
        if (output.json()) {
            out.line(JsonNodeFactory.instance
                    .objectNode()
                    .put("source", source)
                    .put("error", Reason.of(cause))
                    .toString());
        } else {
            output.err()
                    .println("%s: %s".formatted(Terminal.escape(StorePlace.withoutQuery(source)), Reason.of(cause)));
        }
    }

    private void show(String words, Output out) {
        SourceSpec source = SourceSpec.parse(words).withDepth(depth);
        source = mirror == null ? source : source.mirroredIn(mirror);
        String text = StorePlace.withoutQuery(words);
        if (region != null) {
            showRegion(text, source, region, out);
            return;
        }
        ShownSource shown = ShownSource.open(source);
        Row sample = index == null && !raw ? null : sample(shown, index == null ? 0 : index);
        if (raw) {
            write(Objects.requireNonNull(sample, "the sample to write").values().get(0));
            return;
        }
        String sum = checksum ? sum(shown) : null;
        if (output.json()) {
            out.line(node(text, shown, sample, sum).toString());
        } else {
            print(text, shown, sample, sum, out);
        }
    }

    private static Row sample(ShownSource shown, long at) {
        if (at < 0 || at >= shown.samples().size()) {
            throw new IllegalArgumentException("--index must be in [0, %d), was %d"
                    .formatted(shown.samples().size(), at));
        }
        return shown.sample(at);
    }

    private void showRegion(String text, SourceSpec source, ArrayRegion part, Output out) {
        Arguments.refuse(source.kind() != SourceSpec.Kind.ZARR, "--region is for Zarr arrays");
        ZarrArray array = Sources.zarr(source);
        long[][] bounds = part.within(array.shape());
        Tensor values = Objects.requireNonNull(array.read(bounds[0], bounds[1]).block(), "the part");
        if (raw) {
            write(values);
        } else if (output.json()) {
            ObjectNode node =
                    JsonNodeFactory.instance.objectNode().put("source", text).put("region", part.text());
            ShownValues.write(values, node);
            if (checksum) {
                node.put("sha256", hex(Digests.of("SHA-256"), values));
            }
            out.line(node.toString());
        } else {
            out.line("%s %s: %s%s"
                    .formatted(
                            text,
                            part.text(),
                            checksum ? "sha256 " + hex(Digests.of("SHA-256"), values) + " " : "",
                            values.type() + " " + ShownValues.text(values)));
        }
    }

    private static ObjectNode node(String text, ShownSource shown, @Nullable Row sample, @Nullable String sum) {
        ObjectNode node = JsonNodeFactory.instance
                .objectNode()
                .put("source", text)
                .put("kind", kind(text))
                .put("size", shown.samples().size());
        var fields = node.putArray("fields");
        shown.fields().forEach(field -> field.write(fields.addObject()));
        if (!shown.classes().isEmpty()) {
            shown.classes().forEach(node.putObject("classes")::put);
        }
        if (sample != null) {
            ObjectNode values = node.putObject("sample");
            sample.names().forEach(name -> ShownValues.write(sample.tensor(name), values.putObject(name)));
        }
        if (sum != null) {
            node.put("sha256", sum);
        }
        return node;
    }

    private static String kind(String text) {
        return text.substring(0, text.indexOf(':'));
    }

    private static void print(String text, ShownSource shown, @Nullable Row sample, @Nullable String sum, Output out) {
        out.line("%s: %d samples of %s"
                .formatted(
                        text,
                        shown.samples().size(),
                        shown.fields().stream().map(ShownField::toString).collect(Collectors.joining("; "))));
        String column = shown.textColumn();
        if (column != null && kind(text).equals("csv")) {
            String typed = "%s#%s:float".formatted(text.replaceFirst("#.*", ""), column);
            out.line("  u8[varies] is text; a column of numbers needs a type (int, float, double, bool), as in "
                    + typed);
        }
        if (!shown.classes().isEmpty()) {
            out.line("  " + TableReporter.classes(shown.classes()));
        }
        if (sample != null) {
            for (String name : sample.names()) {
                Tensor tensor = sample.tensor(name);
                out.line("  %s %s: %s".formatted(name, tensor.type(), ShownValues.text(tensor)));
            }
        }
        if (sum != null) {
            out.line("  sha256 " + sum);
        }
    }

    private static String sum(ShownSource shown) {
        MessageDigest digest = Digests.of("SHA-256");
        shown.first().doOnNext(tensor -> digest.update(tensor.data())).blockLast();
        return HexFormat.of().formatHex(digest.digest());
    }

    private static String hex(MessageDigest digest, Tensor values) {
        digest.update(values.data());
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void write(Tensor tensor) {
        try (OutputStream out = Output.standardBytes()) {
            out.write(tensor.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the bytes", e);
        }
    }
}
