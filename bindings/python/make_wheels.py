#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheels: the package, and the library for each processor with Abseil and the C++ library inside.

    ./bazelw run //bindings/python:wheels -- --output=FOLDER [--arch=x86_64] [--arch=aarch64] [--build=FOLDER] [--jobs=N]

packaging/install/portable.py builds the library, pyproject.toml describes the package. The same sources give the same bytes.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import sys
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "install"))
sys.dont_write_bytecode = True  # nothing of it among the sources

import make_tables  # noqa: E402
import portable  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def metadata(version: str) -> str:
    """What pyproject.toml says of the package, as pip reads it in a wheel."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {version}",
        f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}",
        f"Requires-Python: {PROJECT['requires-python']}",
    ]
    for extra, needed in PROJECT["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {word}; extra == '{extra}'" for word in needed]
    lines += [f"Classifier: {word}" for word in PROJECT["classifiers"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / PROJECT["readme"]).read_text("utf-8")]
    return "\n".join(lines)


def entry_points() -> str:
    return "[console_scripts]\n" + "".join(f"{name} = {of}\n" for name, of in PROJECT["scripts"].items())


class Wheel:
    """A wheel that has the same bytes for the same content."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.files: "dict[str, bytes]" = {}

    def add(self, name: str, data: "bytes | str") -> None:
        self.files[name] = data.encode("utf-8") if isinstance(data, str) else data

    def write(self, dist_info: str) -> None:
        record = []
        for name, data in sorted(self.files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        record.append(f"{dist_info}/RECORD,,\n")
        # The metadata last, as the format wants it.
        names = sorted(self.files, key=lambda name: (name.startswith(dist_info), name))
        self.files[f"{dist_info}/RECORD"] = "".join(record).encode()
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in [*names, f"{dist_info}/RECORD"]:
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
                archive.writestr(entry, self.files[name])


def make_wheel(arch: str, library: pathlib.Path, tables: "dict[str, str]", output: pathlib.Path) -> pathlib.Path:
    number = portable.version()
    tag = f"py3-none-manylinux_{portable.GLIBC.replace('.', '_')}_{arch}"
    dist_info = f"indim-{number}.dist-info"
    wheel = Wheel(output / f"indim-{number}-{tag}.whl")
    package = ROOT / "bindings" / "python" / "indim"
    for path in sorted(package.glob("*.py")) + [package / "py.typed"]:
        wheel.add(f"indim/{path.name}", path.read_bytes())
    for name, text in tables.items():
        wheel.add(f"indim/{name}", text)
    wheel.add(f"indim/{portable.LIBRARY}", library.read_bytes())
    wheel.add(f"{dist_info}/METADATA", metadata(number))
    wheel.add(f"{dist_info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: indim\nRoot-Is-Purelib: false\nTag: {tag}\n")
    wheel.add(f"{dist_info}/entry_points.txt", entry_points())
    for name in ("LICENSE", "NOTICE"):
        wheel.add(f"{dist_info}/licenses/{name}", (ROOT / name).read_bytes())
    for name, text in portable.licences().items():
        wheel.add(f"{dist_info}/licenses/{name}", text)
    wheel.write(dist_info)
    return wheel.path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--arch", action="append", choices=portable.ARCHITECTURES)
    parser.add_argument("--build", type=pathlib.Path, default=portable.DEFAULT_BUILD)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--library",
        type=pathlib.Path,
        help="take this library instead of building one; with one --arch, and if that isn't this machine's, one is built for the tables",
    )
    options = parser.parse_args()
    architectures = options.arch or portable.ARCHITECTURES
    if options.library and len(architectures) != 1:
        parser.error("--library goes with one --arch")
    options.output.mkdir(parents=True, exist_ok=True)

    def built(arch: str) -> pathlib.Path:
        return portable.build(arch, options.build.absolute(), options.jobs, "indim_c") / "lib" / portable.LIBRARY

    libraries = {arch: options.library or built(arch) for arch in architectures}
    # One that runs here is asked for its operations; they are the same for each processor.
    tables = make_tables.tables(libraries.get(platform.machine()) or built(platform.machine()))
    for arch, library in libraries.items():
        wheel = make_wheel(arch, library, tables, options.output)
        print(f"{wheel}: {wheel.stat().st_size} bytes, its library {library.stat().st_size}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
