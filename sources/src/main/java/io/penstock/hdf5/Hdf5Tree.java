package io.penstock.hdf5;

import io.jhdf.Constants;
import io.jhdf.HdfFile;
import io.jhdf.ObjectHeader;
import io.jhdf.api.Attribute;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import io.jhdf.api.dataset.ChunkedDataset;
import io.jhdf.exceptions.HdfException;
import io.jhdf.links.ExternalLink;
import io.jhdf.links.SoftLink;
import io.jhdf.object.datatype.CompoundDataType;
import io.jhdf.object.datatype.CompoundDataType.CompoundDataMember;
import io.jhdf.object.datatype.DataType;
import io.jhdf.object.message.DataLayoutMessage.CompactDataLayoutMessage;
import io.jhdf.object.message.DataLayoutMessage.ContiguousDataLayoutMessage;
import io.jhdf.object.message.DataSpaceMessage;
import io.jhdf.object.message.FillValueMessage;
import io.jhdf.object.message.FilterPipelineMessage;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.hdf5.Hdf5Column.Layout;
import io.penstock.hdf5.Hdf5Column.Piece;
import io.penstock.internal.HeapLimit;
import io.penstock.store.StoreFile;
import io.penstock.tensor.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What jhdf finds in a file when it is opened: where the chosen arrays lie. It reads no elements. */
record Hdf5Tree(HdfFile file, StoreFile stored) {

    private static final int READ_AT_ONCE = 64 << 10; // of an array that is not chunked, or one row
    private static final int NO_SPACE = 2; // an array without elements, and without axes
    private static final int MAX_LINKS = 16;
    private static final String NO_VARIABLE = "dimension but not a ";

    /** Fields, and where addresses count from. */
    record Found(List<Hdf5Field> fields, long base) {}

    /**
     * The fields of some data sets and groups.
     * @param place for messages
     */
    static Found open(Path path, String place, StoreFile stored, List<String> chosen) {
        try (FileChannel channel = FileChannel.open(path)) {
            HdfFile file = new HdfFile(channel); // has no more to close
            var superblock = file.getHdfBackingStorage().getSuperblock();
            if (superblock.getEndOfFileAddress() > stored.size()) {
                throw new FormatException("it is cut off: it has %d bytes, not %d"
                        .formatted(stored.size(), superblock.getEndOfFileAddress()));
            }
            if (superblock.getSizeOfOffsets() != Long.BYTES) {
                throw new FormatException("its addresses have %d bytes; those of 8 bytes can be read"
                        .formatted(superblock.getSizeOfOffsets()));
            }
            return new Found(new Hdf5Tree(file, stored).fields(chosen), file.getUserBlockSize());
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            throw new StoreException("cannot read %s: %s".formatted(place, e.getMessage()), e);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) { // of damaged bytes, in a library
            throw new FormatException("cannot read %s: %s".formatted(place, reason(e)), e);
        }
    }

    /** What is wrong, which jhdf says in the innermost of several exceptions. */
    private static String reason(Throwable thrown) {
        if (thrown instanceof HdfException
                && String.valueOf(thrown.getMessage()).contains("No valid HDF5 signature")) {
            return "it is no HDF5 file: NetCDF before version 4 is another format";
        }
        Throwable cause = thrown;
        while (cause.getCause() != null && !(cause instanceof FormatException)) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? "it is damaged: " + cause.getClass().getSimpleName() : cause.getMessage();
    }

    private List<Hdf5Field> fields(List<String> chosen) {
        Map<String, Dataset> sets = new LinkedHashMap<>();
        for (String path : chosen.isEmpty() ? List.of("/") : chosen) {
            Node node = find(file, path, 0);
            if (node instanceof Dataset data) {
                sets.put(path, data);
            } else {
                sets.putAll(below((Group) node, path));
            }
        }
        List<Hdf5Field> fields = new ArrayList<>();
        sets.forEach((path, data) -> fields.addAll(fields(path, data, sets.size() == 1)));
        long names = fields.stream().map(Hdf5Field::name).distinct().count();
        return names == fields.size()
                ? fields
                : fields.stream().map(Hdf5Field::named).toList();
    }

    /** The data sets of a group by their paths, in the order of their names. */
    private Map<String, Dataset> below(Group group, String path) {
        Map<String, Dataset> sets = new TreeMap<>();
        String prefix = path.endsWith("/") ? path : path + "/";
        for (String name : group.getChildren().keySet()) {
            if (group.getChildren().get(name) instanceof ExternalLink) {
                continue;
            }
            if (find(group, name, 0) instanceof Dataset data && !isDimension(data)) {
                sets.put(prefix + name, data);
            }
        }
        if (sets.isEmpty()) {
            throw new StoreException("%s in %s has no data sets, only %s; name a group that has some"
                    .formatted(path, stored.entry().key(), group.getChildren().keySet()));
        }
        return sets;
    }

    /** A length that NetCDF stores as an array without values. */
    private static boolean isDimension(Dataset data) {
        Attribute name = data.getAttribute("NAME");
        return name != null && String.valueOf(name.getData()).contains(NO_VARIABLE);
    }

    private Node find(Group from, String path, int links) {
        Group group = path.startsWith("/") ? file : from;
        @Nullable Node node = group;
        for (String name : path.split("/", -1)) {
            if (name.isEmpty() || name.equals(".")) {
                continue;
            }
            group = node instanceof Group inner ? inner : null;
            node = group == null ? null : group.getChild(name);
            if (node instanceof ExternalLink link) {
                throw new FormatException("%s is a link to %s; open that file".formatted(path, link.getTargetPath()));
            }
            if (node instanceof SoftLink link && group != null) {
                if (links == MAX_LINKS) {
                    throw new FormatException("%s leads through more than %d links".formatted(path, MAX_LINKS));
                }
                node = find(group, link.getTargetPath(), links + 1);
            }
            if (node == null) {
                throw new StoreException("there is no %s in %s: \"%s\" is not among %s"
                        .formatted(
                                path,
                                stored.entry().key(),
                                name,
                                group == null ? "" : group.getChildren().keySet()));
            }
        }
        if (node instanceof Dataset || node instanceof Group) {
            return node;
        }
        throw new StoreException("%s in %s is neither a data set nor a group"
                .formatted(path, stored.entry().key()));
    }

    private List<Hdf5Field> fields(String path, Dataset data, boolean alone) {
        try {
            Hdf5Column column = new Hdf5Column(path, stored, layout(data));
            String name = data.getName();
            List<Hdf5Field> fields = new ArrayList<>();
            if (data.getDataType() instanceof CompoundDataType compound && !Hdf5Element.isComplex(compound)) {
                addMembers(compound, alone ? "" : name + ".", 0, column, fields);
            } else {
                fields.add(new Hdf5Field(name, column, 0, Hdf5Element.of(data.getDataType())));
            }
            return fields;
        } catch (FormatException | IllegalArgumentException e) {
            throw new FormatException("of %s, %s".formatted(path, e.getMessage()), e);
        }
    }

    private static void addMembers(
            CompoundDataType compound, String prefix, int offset, Hdf5Column column, List<Hdf5Field> fields) {
        for (CompoundDataMember member : compound.getMembers()) {
            DataType type = member.getDataType();
            int at = offset + member.getOffset();
            int[] old = member.getDimensionSize();
            if (member.getOffset() < 0
                    || type.getSize() < 1
                    || member.getOffset() > compound.getSize() - type.getSize()
                    || old != null && old.length > 0) {
                throw new FormatException("field %s lies at byte %d of %d, or is an array of version 1"
                        .formatted(member.getName(), member.getOffset(), compound.getSize()));
            }
            if (type instanceof CompoundDataType inner && !Hdf5Element.isComplex(inner)) {
                addMembers(inner, prefix + member.getName() + ".", at, column, fields);
            } else {
                fields.add(new Hdf5Field(prefix + member.getName(), column, at, Hdf5Element.of(type)));
            }
        }
    }

    private Layout layout(Dataset data) {
        long[] dims = data.getDimensionsAsLong();
        int width = data.getDataType().getSize();
        Shape shape = dims.length == 0 ? Shape.of(1) : Shape.of(dims);
        long row = shape.dropFirst().elements();
        ObjectHeader header = ObjectHeader.readObjectHeader(file.getHdfBackingStorage(), data.getAddress());
        boolean none =
                header.getMessageOfType(DataSpaceMessage.class).getDataSpace().getType() == NO_SPACE;
        if (none || shape.elements() == 0 || width < 1 || row > HeapLimit.MAX_ARRAY / width) {
            throw new FormatException("no rows could be samples: it is %s of %d bytes".formatted(shape, width));
        }
        byte[] fill = fill(header, width);
        if (data instanceof ChunkedDataset chunked) {
            long[] lengths =
                    Arrays.stream(chunked.getChunkDimensions()).asLongStream().toArray();
            if (lengths.length != dims.length) {
                throw new FormatException("it has %d axes and chunks of %d".formatted(dims.length, lengths.length));
            }
            Shape chunk = Shape.of(lengths);
            Hdf5Chunks chunks = new Hdf5Chunks(file, data, header, shape, chunk, stored.size());
            boolean plain = !header.hasMessageOfType(FilterPipelineMessage.class);
            return new Layout(shape, chunk, width, fill, plain, chunks::piece);
        }
        long rowBytes = row * width;
        if (header.hasMessageOfType(CompactDataLayoutMessage.class)) {
            ByteBuffer held = header.getMessageOfType(CompactDataLayoutMessage.class)
                    .getDataBuffer()
                    .slice();
            requireBytes(shape, width, held.capacity());
            // reads a byte, which tells if the file was changed
            return new Layout(shape, shape, width, fill, false, number -> new Piece(0, 1, bytes -> held));
        }
        long address =
                header.getMessageOfType(ContiguousDataLayoutMessage.class).getAddress();
        long rows = Math.max(1, READ_AT_ONCE / rowBytes);
        Shape chunk = shape.dropFirst().prepend(rows);
        if (address == Constants.UNDEFINED_ADDRESS) {
            return new Layout(shape, chunk, width, fill, true, number -> null);
        }
        long start = address + file.getUserBlockSize();
        requireBytes(shape, width, address < 0 ? 0 : stored.size() - start);
        long each = rows * rowBytes;
        long end = start + shape.dim(0) * rowBytes;
        return new Layout(shape, chunk, width, fill, true, number -> {
            long at = start + number * each;
            return new Piece(at, (int) Math.min(each, end - at), ByteBuffer::slice);
        });
    }

    private static void requireBytes(Shape shape, int width, long there) {
        if (shape.elements() > there / width) {
            throw new FormatException(
                    "%s of %d bytes do not fit into the %d bytes there".formatted(shape, width, there));
        }
    }

    private static byte[] fill(ObjectHeader header, int width) {
        byte[] fill = new byte[width];
        if (header.hasMessageOfType(FillValueMessage.class)) {
            FillValueMessage message = header.getMessageOfType(FillValueMessage.class);
            if (message.isFillValueDefined() && message.getFillValue().remaining() == width) {
                message.getFillValue().get(fill);
            }
        }
        return fill;
    }
}
