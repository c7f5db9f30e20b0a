package io.penstock.write;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.write.internal.UnfinishedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outputs as files in a folder. Opening it removes what dead writers left unfinished. Closing it does nothing; each
 * file is thrown away by its writer.
 */
public final class FolderOutput implements OutputStore {

    private static final Logger LOG = LoggerFactory.getLogger(FolderOutput.class);

    private final Path folder;
    private final boolean makes;

    private FolderOutput(Path folder, boolean makes) {
        this.folder = folder;
        this.makes = makes;
        try {
            UnfinishedFile.sweepAll(folder);
        } catch (IOException e) {
            LOG.debug("did not look for what dead writers left in {}", folder, e); // an output that is opened says why
        }
    }

    /** In a folder that is there. */
    public static FolderOutput in(Path folder) {
        return new FolderOutput(folder, false);
    }

    /** In a folder that is made for the first output if it is missing. */
    public static FolderOutput making(Path folder) {
        return new FolderOutput(folder, true);
    }

    @Override
    public String location() {
        return folder.toString();
    }

    @Override
    public String location(String name) {
        return folder.resolve(name).toString();
    }

    @Override
    public UnfinishedOutput open(String name) {
        if (makes) {
            FileWork.run("cannot make folder " + folder, () -> Files.createDirectories(folder));
        }
        return UnfinishedFile.of(folder.resolve(name));
    }

    @Override
    public Set<String> names() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> String.valueOf(file.getFileName()))
                    .collect(Collectors.toUnmodifiableSet());
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Set.of(); // an output that is opened says what is wrong
        } catch (IOException e) {
            throw new StoreException("cannot list %s: %s".formatted(folder, FileErrors.reason(e)), e);
        }
    }

    @Override
    public boolean has(String name) {
        return Files.isRegularFile(folder.resolve(name));
    }

    @Override
    public Optional<byte[]> find(String name, int max) {
        Path file = folder.resolve(name);
        try {
            if (Files.size(file) > max) {
                throw new StoreException(
                        "%s has %d bytes, at most %d are allowed".formatted(file, Files.size(file), max));
            }
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StoreException("cannot read %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    @Override
    public void close() {
        // nothing is open here
    }
}
