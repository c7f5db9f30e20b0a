package io.penstock.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A module's {@code api.txt} lists what users may use, so nothing of an {@code internal} package. For a review,
 * {@code -Dapi.update=true} writes it again.
 */
class PublicApiTest {

    private static final JavaClasses SHIPPED = Modules.shipped();

    static final List<String> MODULES = Modules.LIBRARIES;

    @ParameterizedTest
    @FieldSource("MODULES")
    void signatures_ofALibrary_areThoseListed(String module) throws IOException {
        Path list = Modules.root().resolve(module).resolve("api.txt");
        String compiled = ApiListing.of(SHIPPED.stream()
                .filter(type ->
                        Modules.of(type).equals(module) && !(type.getPackageName() + ".").contains(".internal."))
                .toList());

        if (Boolean.getBoolean("api.update")) {
            Files.writeString(list, compiled);
        }

        assertThat(compiled)
                .as("the public types of %s, against its api.txt; -Dapi.update=true writes the list anew", module)
                .isEqualTo(Files.exists(list) ? Files.readString(list) : "");
    }
}
