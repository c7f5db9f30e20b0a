"""Writes HDF5 files, and what h5py reads of each row beside them: FILE.txt, a line "path row dtype shape hex" for each."""
import os
import sys

import h5py
import numpy as np

folder = sys.argv[1]
rng = np.random.default_rng(7)


def rows(data):
    if data.shape == ():
        return [data[()]]
    return [data[i] for i in range(data.shape[0])]


def line(path, index, value):
    """A value as Penstock gives it: little-endian, texts as their bytes, complex numbers with an axis more."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        value = np.frombuffer(value, "u1")
    value = np.asarray(value)
    if value.dtype.kind == "S":
        value = np.frombuffer(value.tobytes().rstrip(b"\0"), "u1")
    if value.dtype.kind == "V":
        value = np.frombuffer(value.tobytes(), "u1").reshape(value.shape + (value.dtype.itemsize,))
    if value.dtype.kind == "c":
        part = value.dtype.newbyteorder("<").type(0).real.dtype
        value = np.stack([value.real, value.imag], -1).astype(part)
    if value.dtype.kind in "mM":
        value = value.astype("i8")
    value = value.astype(value.dtype.newbyteorder("<"))
    kind = "bool" if value.dtype == bool else value.dtype.kind + str(value.dtype.itemsize * 8)
    shape = ",".join(map(str, value.shape)) or "-"
    return f"{path} {index} {kind} {shape} {value.tobytes().hex() or '-'}\n"


def expect(name, paths):
    with h5py.File(os.path.join(folder, name), "r") as file, open(os.path.join(folder, name + ".txt"), "w") as out:
        for path in paths:
            for index, value in enumerate(rows(file[path])):
                if file[path].dtype.names and file[path].dtype.kind == "V":
                    for field in file[path].dtype.names:
                        out.write(line(path + "@" + field, index, value[field]))
                else:
                    out.write(line(path, index, value))


def numbers(shape, dtype):
    if np.dtype(dtype).kind == "f":
        return rng.normal(0, 100, shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        return (rng.normal(0, 9, shape) + 1j * rng.normal(0, 9, shape)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=np.dtype(dtype).newbyteorder("="), endpoint=True).astype(dtype)


def types(name, **options):
    with h5py.File(os.path.join(folder, name), "w", **options) as file:
        for code in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
            for order in "<>":
                file[f"{order}{code}".replace("<", "little-").replace(">", "big-")] = numbers((3, 2), order + code)
        file["bool"] = np.array([[True, False], [False, False], [True, True]])
        file.create_dataset(
            "enum", data=np.array([2, 0, 1], "i2"), dtype=h5py.enum_dtype({"red": 0, "green": 1, "blue": 2}, "i2"))
        file["vector"] = numbers(3, "f4")
        file["scalar"] = np.float64(-2.5)
        file["deep"] = numbers((3, 2, 1, 2, 2), "i2")
        file["fixed"] = np.array([b"one", b"", b"seven"])
        file["text"] = ["ein", "\u00e4\u20ac\U0001f600", ""]
        file.create_dataset("bytes", data=[b"one", b"", b"x" * 5000], dtype=h5py.string_dtype("ascii"))
        file.create_dataset("utf8", data=[b"abc", "\u00e4".encode()], dtype=h5py.string_dtype("utf-8", 5))
        ragged = file.create_dataset("ragged", (3,), dtype=h5py.vlen_dtype("i4"))
        ragged[0], ragged[1], ragged[2] = [1, 2, 3], [], [-1]
        date = np.array(["2026-01-01", "1970-01-02", "NaT"], "M8[s]")
        file["date"] = date.astype(h5py.opaque_dtype(date.dtype))
        people = np.zeros(3, [("age", "u1"), ("at", ">f8", (2,)), ("name", "S6"), ("z", "c8"), ("ok", "?")])
        people["age"], people["name"], people["ok"] = [1, 2, 255], [b"ann", b"bob", b""], [True, False, True]
        people["at"], people["z"] = numbers((3, 2), "f8"), numbers(3, "c8")
        file["people"] = people
        noted = np.zeros(3, [("n", "i4"), ("note", h5py.string_dtype())])
        noted["n"], noted["note"] = [5, 6, 7], ["a", "", "ccc"]
        file["noted"] = noted
        expect_later = [path for path in file]
    expect(name, expect_later)


def layouts(name, **options):
    with h5py.File(os.path.join(folder, name), "w", **options) as file:
        def put(path, data, **how):
            file.create_dataset(path, data=data, **how)

        smooth = (np.arange(7 * 5 * 3).reshape(7, 5, 3) // 4).astype("i4")
        noise = numbers((7, 5, 3), "i4")
        for kind, data in (("smooth", smooth), ("noise", noise)):
            put(f"{kind}/chunked", data, chunks=(2, 5, 3))
            put(f"{kind}/across", data, chunks=(2, 2, 2))
            put(f"{kind}/one", data, chunks=(7, 5, 3))
            for filter in ("gzip", "lzf"):
                put(f"{kind}/{filter}", data, chunks=(3, 5, 3), compression=filter)
                put(f"{kind}/shuffled-{filter}", data, chunks=(3, 4, 3), compression=filter, shuffle=True)
            put(f"{kind}/checked", data, chunks=(3, 5, 3), fletcher32=True)
            put(f"{kind}/all", data, chunks=(2, 5, 3), compression="gzip", shuffle=True, fletcher32=True)
            put(f"{kind}/single", data, chunks=(7, 5, 3), compression="gzip")
            put(f"{kind}/growing", data, chunks=(2, 5, 3), maxshape=(None, 5, 3), compression="lzf")
            put(f"{kind}/both", data, chunks=(2, 2, 3), maxshape=(None, None, 3), compression="gzip")
        sparse = file.create_dataset("sparse", (9, 4), "f4", chunks=(2, 3), fillvalue=1.5)
        sparse[4] = 7
        file.create_dataset("empty-chunks", (4, 2), ">i2", chunks=(2, 2), fillvalue=258)
        file.create_dataset("empty-gzip", (6, 2), "<i2", chunks=(2, 2), fillvalue=258, compression="gzip")[2:4] = 5
        file.create_dataset("never-written", (3, 2), "u2", fillvalue=7)
        file.create_dataset("many", data=np.arange(300, dtype="u2"), chunks=(1,), maxshape=(None,))
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        small = numbers((4, 3), "i2")
        space = h5py.h5s.create_simple(small.shape)
        h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT16, space, compact).write(
            h5py.h5s.ALL, h5py.h5s.ALL, small)
        file["linked"] = h5py.SoftLink("/smooth/gzip")
        paths = []
        file.visititems(lambda path, node: paths.append(path) if isinstance(node, h5py.Dataset) else None)
    expect(name, paths + ["linked"])


types("types.h5")
types("types-latest.h5", libver="latest")
layouts("layouts.h5")
layouts("layouts-latest.h5", libver="latest")
types("userblock.h5", userblock_size=1024)
with h5py.File(os.path.join(folder, "refused.h5"), "w") as file:
    whole = numbers((4, 4), "i4")
    file.create_dataset("scaleoffset/x", data=whole, chunks=(2, 4), scaleoffset=0)
    file["texts/x"] = [["a", "b"], ["c", "d"]]
    file["wide/x"] = np.zeros(3, "f16") if hasattr(np, "float128") else np.zeros(3)
    file["null/x"] = h5py.Empty("f4")
    file["none/x"] = np.zeros((0, 4), "f4")
    file["reference/x"] = np.array([file["wide"].ref], h5py.ref_dtype)
    file["opaque/x"] = np.array([b"abcd", b"\0\1\2\3", b"wxyz"], "V4")
    file["unequal/a"], file["unequal/b"] = np.zeros((3, 2)), np.zeros((4, 2))
    file["group/inner/x"] = np.zeros(3)
    file["loop/x"] = h5py.SoftLink("/loop/x")
    file["away/x"] = h5py.ExternalLink("types.h5", "/i4")
    layout = h5py.VirtualLayout((4, 4), "i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (4, 4))
    file.create_virtual_dataset("virtual/x", layout)
    file.create_dataset("elsewhere/x", (4,), "i4", external=[("elsewhere.raw", 0, 16)])
with h5py.File(os.path.join(folder, "samples.h5"), "w") as file:
    file.create_dataset("image", data=np.arange(8 * 6, dtype="u2").reshape(8, 2, 3), chunks=(3, 2, 3), compression="gzip")
    file["label"] = np.arange(8, dtype=">i8") * 3
    file["name"] = [f"s{i}" for i in range(8)]
