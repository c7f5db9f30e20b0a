package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Law 7: what must not compile does not. */
class LawsOfTypesTest {

    @TempDir
    private Path classes;

    private List<String> errors(String body) {
        String source = """
                import io.penstock.cache.*;
                import io.penstock.order.*;
                import io.penstock.pipeline.*;
                import io.penstock.tensor.*;
                class Program {
                    %s
                }
                """.formatted(body);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options = List.of("-proc:none", "-d", classes.toString(), "-Xdiags:compact");
        compiler.getTask(new StringWriter(), null, diagnostics, options, null, List.of(file))
                .call();
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getMessage(Locale.ROOT))
                .toList();
    }

    @Test
    void cache_beforeAugment_compiles() {
        assertThat(errors("Object p(Dataset<Tensor> d, Tier t) {"
                        + " return d.cache(t, Schema.tensor(\"v\")).augment(\"flip\", (v, r) -> v); }"))
                .isEmpty();
    }

    @Test
    void cache_afterAugment_doesNotCompile() {
        assertThat(errors("Object p(Dataset<Tensor> d, Tier t) {"
                        + " return d.augment(\"flip\", (v, r) -> v).cache(t, Schema.tensor(\"v\")); }"))
                .singleElement()
                .asString()
                .contains("cannot find symbol")
                .contains("cache");
    }

    @Test
    void pipeline_implementedOutside_doesNotCompile() {
        assertThat(errors("interface Mine extends Pipeline<Tensor> {}"))
                .singleElement()
                .asString()
                .contains("sealed");
        assertThat(errors("interface Mine extends Dataset<Tensor> {}")).isEmpty();
    }
}
