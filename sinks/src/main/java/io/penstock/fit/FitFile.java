package io.penstock.fit;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.internal.JsonReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fit as JSON. Numbers are written so that they are read as they were. */
record FitFile(
        @JsonProperty("penstock_fit") int version,
        long samples,
        @Nullable Map<String, FieldFit> fields) {

    private static final ObjectMapper JSON = new ObjectMapper();

    static void write(Path file, Fit fit) {
        FileWork.run("cannot write the fit " + file, () -> {
            FitFile content = new FitFile(FitSummary.VERSION, fit.samples(), fit.fields());
            AtomicFile.write(
                    file.toAbsolutePath(), JSON.writerWithDefaultPrettyPrinter().writeValueAsString(content));
        });
    }

    static Fit read(Path file) {
        try {
            FitFile content = JSON.readValue(Files.readString(file), FitFile.class);
            if (content.version != FitSummary.VERSION || content.fields == null) {
                throw new FormatException(
                        "%s is no fit of version %d; make one with penstock fit".formatted(file, FitSummary.VERSION));
            }
            return new Fit(content.samples, content.fields);
        } catch (JsonProcessingException e) {
            throw new FormatException(
                    "%s is no fit: %s; make one with penstock fit"
                            .formatted(file, JsonReason.of(e.getOriginalMessage())),
                    e);
        } catch (IOException e) {
            throw new StoreException("cannot read the fit %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }
}
