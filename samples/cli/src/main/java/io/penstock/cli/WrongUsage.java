package io.penstock.cli;

import io.penstock.cli.console.Reason;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is wrong with a command line, in one line that names the nearest flag or command. */
final class WrongUsage {

    private WrongUsage() {}

    static String of(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        List<String> unmatched = failure instanceof UnmatchedArgumentException stray
                ? stray.getUnmatched()
                : command.getUnmatchedArguments(); // a flag that is missing may be there, misspelt
        List<String> flags =
                unmatched.stream().filter(word -> word.matches("-.*\\D.*")).toList();
        String name = command.getCommandSpec().qualifiedName();
        if (!flags.isEmpty()) {
            String flag = flags.get(0).replaceFirst("=.*", "");
            boolean isArgument = command.getCommandSpec().positionalParameters().stream()
                    .anyMatch(each -> flag.equalsIgnoreCase("--" + each.paramLabel()));
            return isArgument
                    ? says(name, "unknown flag " + flag + ": its value stands without it", "", name)
                    : says(name, "unknown flag " + flag, Spelling.nearest(flag, flagsOf(command)), name);
        }
        if (!unmatched.isEmpty() && !command.getSubcommands().isEmpty()) {
            String word = unmatched.get(0);
            String commands =
                    "; there are " + String.join(", ", command.getSubcommands().keySet());
            String nearest = Spelling.nearest(word, commandsOf(command));
            return says(name, "unknown command " + word + (nearest.isEmpty() ? commands : ""), nearest, name);
        }
        if (failure instanceof UnmatchedArgumentException) {
            return says(name, "unexpected argument " + unmatched.get(0), "", name);
        }
        return "%s: %s; see %s --help".formatted(name, Reason.of(failure), name);
    }

    private static String says(String where, String what, String nearest, String help) {
        String meant = nearest.isEmpty() ? ";" : ": did you mean %s?".formatted(nearest);
        return Reason.of(new IllegalArgumentException("%s: %s%s see %s --help".formatted(where, what, meant, help)));
    }

    private static List<String> flagsOf(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .toList();
    }

    /** Those within a command by both words: the second may be all that is remembered. */
    private static List<String> commandsOf(CommandLine program) {
        return program.getSubcommands().entrySet().stream()
                .flatMap(each -> Stream.concat(
                        Stream.of(each.getKey()),
                        each.getValue().getSubcommands().keySet().stream().map(inner -> each.getKey() + " " + inner)))
                .toList();
    }
}
