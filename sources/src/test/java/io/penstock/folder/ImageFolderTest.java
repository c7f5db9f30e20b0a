package io.penstock.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.FileStore;
import io.penstock.store.MemoryStore;
import io.penstock.store.Store;
import io.penstock.store.zip.ZipStore;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.test.StepVerifier;

class ImageFolderTest extends DatasetKit<LabelledFile> {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path root;

    @BeforeEach
    void write() throws IOException {
        write("dog/1.png");
        write("cat/b.jpg");
        write("cat/a.JPEG");
        write("cat/older/z.webp");
        write("cat/notes.txt");
        write("cat/.hidden.jpg");
        write(".git/x.jpg");
    }

    /** A file whose content is its own path, which is in UTF-8 whatever the locale. */
    private void write(String path) throws IOException {
        String below = URI.create("").resolve(path.replace(" ", "%20")).toASCIIString();
        Path file = Path.of(URI.create(root.toUri() + below));
        Files.createDirectories(file.getParent());
        Files.writeString(file, path);
    }

    private static List<String> names(Dataset<?> dataset) {
        List<String> names = new ArrayList<>();
        for (long index = 0; index < dataset.size(); index++) {
            names.add(dataset.name(index));
        }
        return names;
    }

    @Override
    protected Dataset<LabelledFile> open() {
        return ImageFolder.open(root);
    }

    @Override
    protected LabelledFile expected(long index) {
        String path = List.of("cat/a.JPEG", "cat/b.jpg", "cat/older/z.webp", "dog/1.png")
                .get((int) index);
        return new LabelledFile(path, Tensor.utf8(path), path.startsWith("cat") ? 0 : 1);
    }

    @Override
    protected void change(long index) throws IOException {
        Path file = root.resolve(expected(index).name());
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1));
    }

    @Test
    void labels_ofClassFolders_areTheirSortedNames() {
        ImageFolder images = ImageFolder.open(root);

        assertThat(images.labels()).containsExactly("cat", "dog");
        assertThat(images).hasToString("images in " + real(root) + ", 2 classes, 4 samples");
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void open_awkwardNames_areInTheOrderOfTheirUtf8Bytes() throws IOException {
        List<String> expected = List.of(
                "cat dog/x.gif",
                "cat/10.jpg",
                "cat/2.jpg",
                "cat/B.jpg",
                "cat/a b.jpg",
                "cat/a.JPEG",
                "cat/a.b.c.bmp",
                "cat/a/1.png",
                "cat/a/b/1.png",
                "cat/a0.png",
                "cat/b.jpg",
                "cat/older/z.webp",
                "cat/~.png",
                "cat/ä.jpg",
                "cat/字.png",
                "cat/\uFFE5.png", // before the next in UTF-8, behind it in UTF-16
                "cat/\uD83D\uDC31.png",
                "dog/1.png",
                "Ünicode/1.png");
        for (String path : expected) {
            write(path);
        }

        ImageFolder images = ImageFolder.open(root);

        assertThat(names(images)).isEqualTo(expected);
        assertThat(images.labels()).containsExactly("cat", "cat dog", "dog", "Ünicode");
        for (int i = 0; i < expected.size(); i++) {
            String path = expected.get(i);
            int label = images.labels().indexOf(path.substring(0, path.indexOf('/')));
            LabelledFile file = images.get(i).block();
            assertThat(file).isEqualTo(new LabelledFile(path, Tensor.utf8(path), label));
        }
    }

    @Test
    void open_twoLevels_labelsByBoth() throws IOException {
        Path omniglot = root.resolve("omniglot");
        for (String path : List.of("Greek/alpha/1.png", "Greek/beta/1.png", "Latin/a/1.png", "Latin/a/more/2.png")) {
            write("omniglot/" + path);
        }
        write("omniglot/Latin/stray.png");

        ImageFolder images = ImageFolder.open(omniglot, 1);

        assertThat(images.labels()).containsExactly("Greek/alpha", "Greek/beta", "Latin/a");
        assertThat(images.size()).isEqualTo(4);
        StepVerifier.create(images.get(3).map(LabelledFile::label))
                .expectNext(2)
                .verifyComplete();
    }

    @Test
    void key_fileAdded_leavesTheOthersAlone() throws IOException {
        Dataset<LabelledFile> before = open();

        write("cat/0.jpg");
        Dataset<LabelledFile> after = open();

        assertThat(after.size()).isEqualTo(5);
        for (int index = 0; index < 4; index++) {
            assertThat(after.id(index + 1).key()).isEqualTo(before.id(index).key());
        }
    }

    @Test
    void key_classAdded_changesThoseWhoseLabelMoves() throws IOException {
        Dataset<LabelledFile> before = open();

        write("cow/1.jpg");
        Dataset<LabelledFile> after = open();

        assertThat(after.id(0).key()).isEqualTo(before.id(0).key());
        assertThat(after.name(4)).isEqualTo("dog/1.png");
        assertThat(after.id(4).key()).isNotEqualTo(before.id(3).key());
    }

    @Test
    void key_sameFilesElsewhere_areOthers(@TempDir Path elsewhere) throws IOException {
        for (String path : List.of("cat/a.JPEG", "dog/1.png")) {
            Files.createDirectories(elsewhere.resolve(path).getParent());
            Files.copy(root.resolve(path), elsewhere.resolve(path), StandardCopyOption.COPY_ATTRIBUTES);
        }

        ImageFolder copy = ImageFolder.open(elsewhere);

        assertThat(copy.name(0)).isEqualTo(open().name(0));
        assertThat(copy.id(0).key()).isNotEqualTo(open().id(0).key());
    }

    @Test
    void open_throughALink_isTheSameData(@TempDir Path elsewhere) throws IOException {
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), root);

        ImageFolder linked = ImageFolder.open(link);

        assertThat(linked.fingerprint()).isEqualTo(open().fingerprint());
        assertThat(linked.id(0).key()).isEqualTo(open().id(0).key());
    }

    @Test
    void get_emptyFile_isNoBytes() throws IOException {
        Files.write(root.resolve("dog/1.png"), new byte[0]);

        LabelledFile file = open().get(3).block();

        assertThat(file).isEqualTo(new LabelledFile("dog/1.png", Tensor.ofBytes(new byte[0]), 1));
    }

    @Test
    void get_fileTruncatedSinceListed_saysWhatItWasAndIs() throws IOException {
        Dataset<LabelledFile> images = open();

        Files.write(root.resolve("dog/1.png"), new byte[0]);

        StepVerifier.create(images.get(3))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("dog/1.png in " + real(root)
                                + " changed since it was listed: had 9 bytes, now has 0; open the data again"));
    }

    @Test
    void get_fileGone_namesItAndTheReason() throws IOException {
        Dataset<LabelledFile> images = open();

        Files.delete(root.resolve("dog/1.png"));

        StepVerifier.create(images.get(3))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("cannot read dog/1.png in " + real(root) + ": no such file or folder"));
    }

    @Test
    void get_unreadableFile_saysPermissionDenied() throws IOException {
        Path file = root.resolve("dog/1.png");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(file)).as("this user may read everything").isFalse();

        StepVerifier.create(open().get(3))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("cannot read dog/1.png in " + real(root) + ": permission denied"));
    }

    @Test
    void open_unreadableFolder_saysPermissionDenied() throws IOException {
        Path cat = root.resolve("cat");
        Files.setPosixFilePermissions(cat, PosixFilePermissions.fromString("---------"));
        try {
            assumeThat(Files.isReadable(cat))
                    .as("this user may read everything")
                    .isFalse();

            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreException.class)
                    .hasMessage("cannot list " + real(root) + "/cat: permission denied");
        } finally {
            Files.setPosixFilePermissions(cat, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void get_fileLargerThanTheLimit_isRefusedWithoutReading() throws IOException {
        try (RandomAccessFile huge =
                new RandomAccessFile(root.resolve("dog/1.png").toFile(), "rw")) {
            huge.setLength((256L << 20) + 1); // sparse
        }
        ImageFolder images = ImageFolder.open(root);

        StepVerifier.create(images.get(3))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("dog/1.png in " + real(root)
                                + " is too large: at most 268435456 bytes, has 268435457; raise maxFileBytes"));
        StepVerifier.create(images.maxFileBytes(3).get(0)).verifyError(StoreException.class);
    }

    @Test
    void open_notAFolderOfClasses_saysWhy(@TempDir Path other) throws IOException {
        Path file = Files.writeString(other.resolve("file"), "x");
        Path flat = Files.createDirectory(other.resolve("flat"));
        Files.writeString(flat.resolve("1.jpg"), "x");
        Path bare = Files.createDirectory(other.resolve("bare"));

        assertThatThrownBy(() -> ImageFolder.open(other.resolve("none")))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot open " + other.resolve("none") + ": no such file or folder");
        assertThatThrownBy(() -> ImageFolder.open(file))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot open " + file + ": not a folder");
        assertThatThrownBy(() -> ImageFolder.open(bare))
                .isInstanceOf(StoreException.class)
                .hasMessage("no images below " + real(bare) + ": looked for [jpg, jpeg, png, gif, bmp, webp]");
        assertThatThrownBy(() -> ImageFolder.open(flat))
                .isInstanceOf(StoreException.class)
                .hasMessage("no class folders with images in " + real(flat)
                        + ": found 1 images outside of them, the first 1.jpg; put the images of each class"
                        + " into a folder of its own; without classes they are images:DIR#pixels"
                        + " (AnnotatedImages)");
        for (int depth : new int[] {-1, 65, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> ImageFolder.open(flat, depth))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("depth, the levels of folders above the classes, must be in [0, 64], was " + depth);
        }
    }

    @Test
    void labelCounts_ofClassFolders_areTheirImages() {
        ImageFolder images = ImageFolder.open(root);

        assertThat(images.labelCounts().toString()).isEqualTo("{cat=3, dog=1}");
    }

    @Test
    void open_oneFolderAroundTheClasses_warnsAndNamesTheDepth() throws IOException {
        Path wrapped = root.resolve("wrapped");
        for (String path : List.of("set/train/cat/1.png", "set/train/cat/2.png", "set/train/dog/1.png")) {
            write("wrapped/" + path);
        }

        List<String> warned = warnings(FileStore.open(wrapped), 0);
        List<String> said = warnings(FileStore.open(wrapped), 2);

        assertThat(warned)
                .containsExactly("all images in " + real(wrapped)
                        + " are of one class, \"set\", and lie in folders within it; if those are the classes, "
                        + "say so with depth 2 (--depth 2), or name the folder that holds them");
        assertThat(said).isEmpty();
        assertThat(ImageFolder.open(wrapped).labels()).containsExactly("set");
        assertThat(ImageFolder.open(wrapped, 2).labelCounts().toString()).isEqualTo("{cat=2, dog=1}");
    }

    @Test
    void open_oneClassWithImagesInIt_doesNotWarn() throws IOException {
        write("single/cat/1.png");
        write("single/cat/old/2.png");

        assertThat(warnings(FileStore.open(root.resolve("single")), 0)).isEmpty();
    }

    private static List<String> warnings(Store store, int depth) {
        ImageListing listing = new ImageListing(store);
        listing.sorted(depth);
        return listing.warnings(depth);
    }

    private static void zip(Path file, String... names) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String name : names) {
                out.putNextEntry(new ZipEntry(name));
                out.write(name.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void open_zip_passesOverTheFolderAroundAllAndHiddenFiles() throws IOException {
        Path bare = root.resolve("bare.zip");
        Path around = root.resolve("around.zip");
        Path twice = root.resolve("twice.zip");
        zip(bare, "cat/1.png", "dog/1.png", "dog/2.png");
        zip(around, "set/", "set/cat/1.png", "__MACOSX/set/cat/._1.png", "set/dog/1.png", "set/dog/2.png", "set/a.txt");
        zip(twice, "set/train/cat/1.png", "set/train/dog/1.png");

        ImageFolder plain = ImageFolder.open(ZipStore.open(bare));
        ImageFolder below = ImageFolder.open(ZipStore.open(around));
        List<String> warned = warnings(ZipStore.open(twice), 1);

        assertThat(plain.labelCounts().toString()).isEqualTo("{cat=1, dog=2}");
        assertThat(below.labelCounts().toString()).isEqualTo("{cat=1, dog=2}");
        assertThat(ImageFolder.open(ZipStore.open(around), 1).labels()).isEqualTo(below.labels());
        StepVerifier.create(below.get(2))
                .expectNext(new LabelledFile("set/dog/2.png", Tensor.utf8("set/dog/2.png"), 1))
                .verifyComplete();
        assertThat(warned).hasSize(1).allMatch(line -> line.contains("--depth 2"));
        for (int depth : new int[] {1, 2}) {
            assertThat(ImageFolder.open(ZipStore.open(twice), depth).labels()).containsExactly("cat", "dog");
        }
    }

    @Test
    void open_emptyClassFolder_isRefusedSinceLabelsWouldMove() throws IOException {
        Files.createDirectories(root.resolve("cow/nothing"));

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("no images in class folder cow of " + real(root) + ": looked for");

        Files.createDirectories(root.resolve("bat"));

        assertThatThrownBy(this::open)
                .hasMessageStartingWith("no images in class folder bat and 1 more of " + real(root) + ": looked for");
    }

    @Test
    void schema_ofLabelledFile_bringsItBack() {
        Schema<LabelledFile> schema = Schema.of(LabelledFile.class);

        LabelledFile back = schema.unflatten(schema.flatten(expected(3)));

        assertThat(back).isEqualTo(expected(3));
        assertThatThrownBy(() -> new LabelledFile("x", Tensor.scalar(1), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the bytes of a file must be u8[n], were i32[]");
    }

    @Test
    void table_moreThanOneBlock_keepsEveryPath() {
        List<String> paths =
                IntStream.range(0, 4200).mapToObj("cat/%05d.bmp"::formatted).toList();
        Map<String, byte[]> files = paths.stream().collect(Collectors.toMap(path -> path, path -> new byte[0]));

        ImageFolder images = ImageFolder.open(MemoryStore.of("images", files));

        assertThat(names(images)).isEqualTo(paths);
    }

    @Test
    void open_nameWithHalfOfASurrogatePair_isRefused() {
        Store store = MemoryStore.of("images", Map.of("cat/1\uD800.jpg", new byte[1], "cat/1?.jpg", new byte[1]));

        assertThatThrownBy(() -> ImageFolder.open(store))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("lists a name with half of a surrogate pair, which is no UTF-8: cat/1");
    }
}
