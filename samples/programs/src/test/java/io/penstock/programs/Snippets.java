package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The members of a class, as documentation prints them. */
final class Snippets {

    private static final List<String> PACKAGES = List.of(
            "arrow",
            "augment",
            "batch",
            "cache",
            "cache.chronicle",
            "cache.kryo",
            "cache.slot",
            "folder",
            "image",
            "manifest",
            "pipeline",
            "records",
            "shard",
            "store",
            "store.http",
            "tensor",
            "write",
            "zarr");

    private static final String IMPORTS = Stream.concat(
                    PACKAGES.stream().map(name -> "io.penstock." + name + ".*"),
                    Stream.of(
                            "java.net.URI",
                            "java.nio.file.Files",
                            "java.nio.file.Path",
                            "java.time.Duration",
                            "java.util.List",
                            "java.util.function.Consumer",
                            "reactor.core.publisher.Flux",
                            "reactor.core.publisher.Mono"))
            .map("import %s;\n"::formatted)
            .collect(Collectors.joining());

    private Snippets() {}

    /** Compiles them in a folder, beside which nothing is on the path but what the command line has. */
    static void assertCompile(Path folder, String members) throws IOException {
        Path source = folder.resolve("Program.java");
        Files.writeString(source, IMPORTS + "class Program {\n" + members + "}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of("-proc:none", "-d", folder.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();

            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }
}
