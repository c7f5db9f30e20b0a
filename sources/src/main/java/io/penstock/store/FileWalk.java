package io.penstock.store;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FileState;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Visits a folder's files, hidden ones left out.
 *
 * <p>A link is followed where its target lies under the root and is not a folder that it is itself in. A folder link
 * inside a linked folder is not followed: n folders that link to each other would have n! paths. Links not followed are
 * remembered in {@link #skipped}.
 */
final class FileWalk extends SimpleFileVisitor<Path> {

    private final Path root;
    private final Path start;
    private final Store.Visitor visitor;
    private final List<String> skipped;
    private String prefix;

    private FileWalk(Path root, Path start, String prefix, Store.Visitor visitor, List<String> skipped) {
        this.root = root;
        this.start = start;
        this.prefix = prefix;
        this.visitor = visitor;
        this.skipped = skipped;
    }

    /** Visits all below a real path; returns the keys of links that were not followed. */
    static List<String> visit(Path root, Store.Visitor visitor) {
        List<String> skipped = new ArrayList<>();
        new FileWalk(root, root, "", visitor, skipped).run();
        return skipped;
    }

    private void run() {
        FileWork.run("cannot list " + start, () -> Files.walkFileTree(start, this));
    }

    private boolean followsLinksToFolders() {
        return start.equals(root);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
        if (dir.equals(start)) {
            return FileVisitResult.CONTINUE;
        }
        String name = FileNames.of(dir);
        if (isHidden(name) || !visitor.folder(prefix + name)) {
            return FileVisitResult.SKIP_SUBTREE;
        }
        prefix = prefix + name + "/";
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure) {
        if (failure != null) {
            throw cannotList(dir, failure);
        }
        if (!dir.equals(start)) {
            prefix = prefix.substring(0, prefix.lastIndexOf('/', prefix.length() - 2) + 1);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        String name = FileNames.of(file);
        if (isHidden(name)) {
            return FileVisitResult.CONTINUE;
        }
        if (attributes.isSymbolicLink()) {
            link(file, prefix + name);
        } else if (attributes.isRegularFile()) {
            visitor.file(prefix + name, attributes.size(), FileState.version(attributes));
        }
        return FileVisitResult.CONTINUE;
    }

    private void link(Path link, String key) {
        try {
            Path target = link.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(target, BasicFileAttributes.class);
            if (!target.startsWith(root)) {
                skipped.add(key);
            } else if (attributes.isRegularFile()) {
                visitor.file(key, attributes.size(), FileState.version(attributes));
            } else if (attributes.isDirectory()) {
                linkedFolder(link, target, key);
            }
        } catch (IOException e) {
            skipped.add(key); // it leads nowhere, in a circle, or where we may not look
        }
    }

    private void linkedFolder(Path link, Path target, String key) {
        if (link.startsWith(target) || !followsLinksToFolders()) {
            skipped.add(key);
            return;
        }
        if (visitor.folder(key)) {
            new FileWalk(root, target, key + "/", visitor, skipped).run();
        }
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
        if (failure instanceof NoSuchFileException && !file.equals(start)) {
            return FileVisitResult.CONTINUE; // deleted while we looked
        }
        throw cannotList(file, failure);
    }

    private static StoreException cannotList(Path dir, IOException failure) {
        return new StoreException("cannot list %s: %s".formatted(dir, FileErrors.reason(failure)), failure);
    }

    private static boolean isHidden(String name) {
        return name.startsWith(".");
    }
}
