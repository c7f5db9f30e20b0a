package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the snippets of a page as members of a subclass of {@link Given}. */
final class Snippets {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final List<String> JDK = List.of(
            "java.net.URI",
            "java.nio.file.Files",
            "java.nio.file.Path",
            "java.time.Duration",
            "java.util.List",
            "java.util.function.Consumer",
            "java.util.function.Function",
            "java.util.function.ObjLongConsumer");
    private static final List<String> REACTOR =
            List.of("reactor.core.publisher.Flux", "reactor.core.publisher.Mono", "reactor.core.scheduler.Schedulers");

    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private final Path folder;
    private final String head;
    private int methods;

    /** @param folder for sources and classes */
    Snippets(Path folder) throws IOException {
        this.folder = folder;
        this.head = "package io.penstock.programs;\n" + imports();
    }

    /** All public packages of the modules, so that no snippet has to import. */
    private static String imports() throws IOException {
        StringBuilder imports = new StringBuilder();
        for (String module : List.of("pipeline-core", "operators", "sources", "sinks")) {
            Path sources = ROOT.resolve(module).resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(file ->
                                sources.relativize(file.getParent()).toString().replace('/', '.'))
                        .filter(name -> !name.contains("internal"))
                        .distinct()
                        .sorted()
                        .forEach(name -> imports.append("import %s.*;%n".formatted(name)));
            }
        }
        return Stream.concat(JDK.stream(), REACTOR.stream())
                .map("import %s;\n"::formatted)
                .collect(Collectors.joining("", imports, ""));
    }

    /** Compiles the snippets of a page as one class, with what the command line has on its class path. */
    void assertCompile(List<String> snippets) throws IOException {
        StringBuilder members = new StringBuilder();
        for (String snippet : snippets) {
            members.append(asMember(snippet));
        }
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        boolean compiled = task(members.toString(), problems).call();

        assertThat(compiled).as(problems.getDiagnostics().toString()).isTrue();
    }

    /** Statements, which are no members of a class, become a method. */
    private String asMember(String snippet) throws IOException {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        task(snippet, problems).parse();
        return problems.getDiagnostics().isEmpty()
                ? snippet
                : "void run%d() throws Exception {%n%s}%n".formatted(methods++, snippet);
    }

    private JavacTask task(String members, DiagnosticListener<JavaFileObject> problems) throws IOException {
        Path source = folder.resolve("Program.java");
        Files.writeString(source, head + "abstract class Program extends Given {\n" + members + "}\n");
        List<String> options = List.of("-proc:none", "-d", folder.toString());
        return (JavacTask) COMPILER.getTask(null, FILES, problems, options, null, FILES.getJavaFileObjects(source));
    }
}
