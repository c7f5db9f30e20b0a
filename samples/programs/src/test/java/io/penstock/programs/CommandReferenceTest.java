package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The flags of all commands in docs/command-line.md, between two comments, are those of the help.
 * {@code -Dpenstock.docs=write} writes them there.
 */
class CommandReferenceTest {

    private static final String BEGIN = "<!-- reference: begin -->\n";
    private static final String END = "<!-- reference: end -->\n";

    /** Without flags on the page: {@code train} has them only where {@code -Ptrain} builds it. */
    private static final Set<String> UNLISTED = Set.of("help", "train");

    /** Of all commands. */
    private static final Set<String> COMMON = Set.of("--help", "--verbose", "--json");

    @Test
    void flags_ofThePage_areThoseOfTheHelp() throws IOException {
        Path page = root().resolve("docs/command-line.md");
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertThat(begin).as(BEGIN).isNotNegative();
        assertThat(end).as(END).isGreaterThan(begin);
        String whole = text.substring(0, begin + BEGIN.length()) + "\n" + flags() + "\n" + text.substring(end);

        if ("write".equals(System.getProperty("penstock.docs"))) {
            Files.writeString(page, whole);
        }

        assertThat(Files.readString(page))
                .as("-Dpenstock.docs=write -Dtest=CommandReferenceTest writes it anew")
                .isEqualTo(whole);
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("penstock"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static String flags() {
        CommandLine program = Main.commandLine();
        Map<String, String> ofStream = rows(program.getSubcommands().get("stream"));
        return commands(program)
                .filter(command -> !rows(command).isEmpty())
                .map(command -> section(command, ofStream))
                .collect(Collectors.joining("\n"));
    }

    private static Stream<CommandLine> commands(CommandLine of) {
        return of.getSubcommands().values().stream()
                .filter(command -> !UNLISTED.contains(command.getCommandName()))
                .flatMap(command -> Stream.concat(Stream.of(command), commands(command)));
    }

    /** Flags that are those of stream are only named, or not even that where all are there. */
    private static String section(CommandLine command, Map<String, String> ofStream) {
        String name = command.getCommandSpec().qualifiedName().replaceFirst("^\\w+ ", "");
        Map<String, String> own = rows(command);
        String alike = "";
        if (!name.equals("stream")) {
            List<String> shared = own.keySet().stream()
                    .filter(flag -> own.get(flag).equals(ofStream.get(flag)))
                    .toList();
            own.keySet().removeAll(shared);
            alike = shared.size() == ofStream.size()
                    ? "The flags of `stream`, and these:\n\n"
                    : shared.isEmpty()
                            ? ""
                            : "As for `stream`: `%s`. And these:\n\n"
                                    .formatted(String.join("`, `", runs(shared, List.copyOf(ofStream.keySet()))));
        }
        return "### `%s`\n\n%s| flag | meaning |\n|---|---|\n%s".formatted(name, alike, String.join("", own.values()));
    }

    /** Neighbours among the flags of stream, named by the first and the last of them. */
    private static List<String> runs(List<String> flags, List<String> ofStream) {
        List<String> runs = new ArrayList<>();
        for (int first = 0, end; first < flags.size(); first = end) {
            int from = ofStream.indexOf(flags.get(first));
            end = first + 1;
            while (end < flags.size() && flags.get(end).equals(ofStream.get(from + end - first))) {
                end++;
            }
            if (end - first > 2) {
                runs.add(flags.get(first) + "` to `" + flags.get(end - 1));
            } else {
                runs.addAll(flags.subList(first, end));
            }
        }
        return runs;
    }

    /** By the names of flags and parameters, in the order of the help. */
    private static Map<String, String> rows(CommandLine command) {
        Map<String, String> rows = new LinkedHashMap<>();
        command.getCommandSpec()
                .positionalParameters()
                .forEach(each -> rows.put(each.paramLabel(), row(each.paramLabel(), each.description())));
        command.getCommandSpec().options().stream()
                .filter(option -> !COMMON.contains(option.longestName()))
                .sorted(Comparator.comparingInt(OptionSpec::order))
                .forEach(option -> rows.put(
                        option.longestName(),
                        row(
                                option.longestName() + (option.arity().max() == 0 ? "" : " " + option.paramLabel()),
                                option.description())));
        return rows;
    }

    private static String row(String flag, String[] description) {
        return "| `%s` | %s |\n".formatted(escaped(flag), escaped(String.join("<br>", description)));
    }

    private static String escaped(String text) {
        return text.replace("%%", "%").replace("|", "\\|");
    }
}
