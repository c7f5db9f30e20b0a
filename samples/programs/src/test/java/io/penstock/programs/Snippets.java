package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the snippets of a page as members of a subclass of {@link Given}. A snippet that begins with an import is a
 * program, which is compiled as it stands.
 */
final class Snippets {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final List<String> OTHERS = List.of(
            "com.fasterxml.jackson.databind.JsonNode",
            "com.fasterxml.jackson.databind.ObjectMapper",
            "java.io.IOException",
            "java.net.URI",
            "java.nio.file.Files",
            "java.nio.file.Path",
            "java.time.Duration",
            "java.util.ArrayList",
            "java.util.List",
            "java.util.Map",
            "java.util.function.Consumer",
            "java.util.function.Function",
            "java.util.function.ObjLongConsumer",
            "java.util.random.RandomGenerator");
    private static final List<String> REACTOR =
            List.of("reactor.core.publisher.Flux", "reactor.core.publisher.Mono", "reactor.core.scheduler.Schedulers");

    private static final Pattern CLASS =
            Pattern.compile("^public (?:final )?(?:class|record) (\\w+)", Pattern.MULTILINE);
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
    static String imports() throws IOException {
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
        return Stream.concat(OTHERS.stream(), REACTOR.stream())
                .map("import %s;\n"::formatted)
                .collect(Collectors.joining("", imports, ""));
    }

    static boolean isProgram(String snippet) {
        return snippet.startsWith("import ");
    }

    /** Compiles the snippets of a page, with what the command line has on its class path. */
    void assertCompile(List<String> snippets) throws IOException {
        for (String program : snippets.stream().filter(Snippets::isProgram).toList()) {
            compileProgram(program);
        }
        compileMembers(snippets, "abstract class Program");
    }

    /** Runs a program in this process, and returns what it printed. */
    String run(String program, String... arguments) throws Exception {
        String name = compileProgram(program);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (URLClassLoader loader = loader()) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    /** An object that has the methods of a page, to be called by reflection. Its programs are left out. */
    Object instance(List<String> snippets) throws Exception {
        compileMembers(snippets, "public class Program");
        return loader().loadClass("io.penstock.programs.Program")
                .getDeclaredConstructor()
                .newInstance();
    }

    private URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Snippets.class.getClassLoader());
    }

    /** Returns the name of its class. */
    private String compileProgram(String program) throws IOException {
        Matcher declared = CLASS.matcher(program);
        assertThat(declared.find())
                .as("a program declares a public class: " + program)
                .isTrue();
        compile(declared.group(1), program);
        return declared.group(1);
    }

    private void compileMembers(List<String> snippets, String declaration) throws IOException {
        StringBuilder members = new StringBuilder();
        for (String snippet : snippets) {
            members.append(isProgram(snippet) ? "" : asMember(snippet));
        }
        compile("Program", inClass(declaration, members.toString()));
    }

    private String inClass(String declaration, String members) {
        return head + declaration + " extends Given {\n" + members + "}\n";
    }

    private void compile(String name, String source) throws IOException {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        boolean compiled = task(name, source, problems).call();

        assertThat(compiled).as(problems.getDiagnostics().toString()).isTrue();
    }

    /** Statements, which are no members of a class, become a method. */
    private String asMember(String snippet) throws IOException {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        task("Program", inClass("abstract class Program", snippet), problems).parse();
        return problems.getDiagnostics().isEmpty()
                ? snippet
                : "void run%d() throws Exception {%n%s}%n".formatted(methods++, snippet);
    }

    private JavacTask task(String name, String text, DiagnosticListener<JavaFileObject> problems) throws IOException {
        Path source = folder.resolve(name + ".java");
        Files.writeString(source, text);
        List<String> options = List.of("-proc:none", "-d", folder.toString());
        return (JavacTask) COMPILER.getTask(null, FILES, problems, options, null, FILES.getJavaFileObjects(source));
    }
}
