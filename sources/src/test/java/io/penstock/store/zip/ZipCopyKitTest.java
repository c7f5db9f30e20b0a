package io.penstock.store.zip;

import io.penstock.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A copy of a zip file that lies elsewhere; what changes there is not seen. */
class ZipCopyKitTest extends ZipStoreKitTest {

    @Override
    protected Store open(Path folder) throws IOException {
        super.open(folder);
        return ZipStore.openCopy(
                Files.copy(beside().resolve("data.zip"), beside().resolve("copy.zip")), "elsewhere/data.zip");
    }
}
