"""Builds the wheel with Python's standard library alone, as PEP 517 wants it: no network, and the same bytes each time.

    python3 build_wheel.py [FOLDER]         or: pip install samples/python
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

_HERE = pathlib.Path(__file__).resolve().parent


def _project(name):
    return re.search(rf'^{name} = "(.*)"$', (_HERE / "pyproject.toml").read_text("utf-8"), re.MULTILINE).group(1)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _project("version")
    about = f"penstock-{version}.dist-info"
    sources = [*sorted((_HERE / "penstock").glob("*.py")), _HERE / "penstock/py.typed", _HERE / "penstock_order.py"]
    files = {path.relative_to(_HERE).as_posix(): path.read_bytes() for path in sources}
    metadata = {
        "Metadata-Version": "2.1",
        "Name": "penstock",
        "Version": version,
        "Summary": _project("description"),
        "Requires-Python": _project("requires-python"),
        "Requires-Dist": "numpy",
    }
    files[f"{about}/METADATA"] = "".join(f"{key}: {value}\n" for key, value in metadata.items()).encode()
    files[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: penstock\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{about}/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"penstock-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the time of the build is not in it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "."))
