#!/usr/bin/env python3
"""Makes the wheels: the package, and the library for each processor with Abseil and the C++ library inside.

    ./bazelw run //python:wheels -- --output=FOLDER [--arch=x86_64] [--arch=aarch64] [--build=FOLDER] [--jobs=N]

ziglang of PyPI compiles for glibc 2.27, whatever this machine has; the sources of Abseil lie in the sdist of grpcio-tools. Both are
in .cross, which bazelw sets up. The same sources give the same bytes. A build folder that is kept makes the next time short.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC = "2.27"
ARCHITECTURES = ("x86_64", "aarch64")
LIBRARY = "libindim_c.so"

METADATA = """\
Metadata-Version: 2.1
Name: indim
Version: {version}
Summary: Build, check, explain, convert and run XLA's HLO modules, without building XLA
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""
ENTRY_POINTS = "[console_scripts]\nindim = indim.__main__:main\n"


def version() -> str:
    text = (ROOT / "install" / "indimConfigVersion.cmake").read_text(encoding="utf-8")
    match = re.search(r'PACKAGE_VERSION\s+"?([0-9.]+)', text)
    if not match:
        raise SystemExit("install/indimConfigVersion.cmake has no PACKAGE_VERSION")
    return match.group(1)


def run(*command: "str | pathlib.Path", env: "dict[str, str] | None" = None) -> None:
    print("$", shlex.join(map(str, command)), flush=True)
    subprocess.run([str(word) for word in command], check=True, env=env)


def script(path: pathlib.Path, *command: "str | pathlib.Path") -> pathlib.Path:
    """A program of one line, for what CMake takes only as a path."""
    text = f'#!/bin/sh\nexec {shlex.join(map(str, command))} "$@"\n'
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return path


def compiler(path: pathlib.Path, zig: pathlib.Path, language: str, target: str, env: "dict[str, str]") -> pathlib.Path:
    """A compiler for CMake: zig's own command to link, and to compile the clang inside, with the flags that zig gives it.

    zig's command compiles no headers beforehand, which halve the time, and hashes every file that it reads.
    """
    source = path.parent / f"probe.{'cc' if language == 'c++' else 'c'}"
    path.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("int probe;\n")
    said = subprocess.run(
        [zig, language, "-target", target, "-Os", "-c", source, "-o", f"{source}.o"],
        env={**env, "ZIG_VERBOSE_CC": "1", "ZIG_LOCAL_CACHE_DIR": str(path.parent / f"probe-{language}-{os.getpid()}")},
        stderr=subprocess.PIPE, text=True, check=True, cwd=path.parent,
    )  # fmt: skip
    lines = [line.split() for line in said.stderr.splitlines() if str(source) in line.split()]
    if not lines:
        raise SystemExit(f"zig didn't say how it compiles: {said.stderr}")
    words = iter(lines[0][2:])
    flags = []
    for word in words:
        if word in ("-o", "-MF", "-MT"):
            next(words)
        elif word == "-isystem":
            # Below the folder in which zig runs, its own folders are written from there.
            flags += [word, str(path.parent / next(words))]
        elif word not in ("-c", "-MD", "-MV", str(source)):
            flags.append(word)
    text = f"""#!/bin/sh
case " $* " in
  *" -c "*) exec {zig} clang {shlex.join(flags)} "$@" ;;
esac
exec {zig} {language} -target {target} "$@"
"""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path


def build_library(arch: str, build: pathlib.Path, jobs: int) -> pathlib.Path:
    """The stripped library for a processor."""
    cross = ROOT / ".cross"
    zig = cross / "ziglang" / "zig"
    if not zig.exists():
        raise SystemExit(f"{zig} isn't there; to fix: ./bazelw run //python:wheels")
    folder = build / arch
    tools = folder / "tools"
    target = f"{arch}-linux-gnu.{GLIBC}"
    env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(build / "zig"), "ZIG_LOCAL_CACHE_DIR": str(build / "zig")}
    run(
        "cmake", "-S", ROOT / "third_party" / "cross", "-B", folder / "build", "-G", "Ninja",
        f"-DSOURCES={cross / 'sources'}", f"-DINDIM_PROTOC={cross / 'bin' / 'protoc'}", "-DINDIM_C=ON", "-DINDIM_COMMAND=ON", "-DCMAKE_BUILD_TYPE=MinSizeRel",
        "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={arch}",
        f"-DCMAKE_C_COMPILER={compiler(tools / 'zig-cc', zig, 'cc', target, env)}",
        f"-DCMAKE_CXX_COMPILER={compiler(tools / 'zig-c++', zig, 'c++', target, env)}",
        f"-DCMAKE_AR={script(tools / 'zig-ar', zig, 'ar')}", f"-DCMAKE_RANLIB={script(tools / 'zig-ranlib', zig, 'ranlib')}",
        # No paths of this machine in the library, nothing in it that nothing calls.
        f"-DCMAKE_CXX_FLAGS=-ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden"
        f" -ffile-prefix-map={ROOT}=. -ffile-prefix-map={folder}=.",
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--gc-sections -Wl,-s",
        # A static library is made of its objects; it needn't wait for others.
        "-DCMAKE_OPTIMIZE_DEPENDENCIES=ON",
        env=env,
    )  # fmt: skip
    run("ninja", "-C", folder / "build", f"-j{jobs}", "indim_c", env=env)
    found = list((folder / "build").rglob(LIBRARY))
    if not found:
        raise SystemExit(f"no {LIBRARY} in {folder / 'build'}")
    return found[0].resolve()


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


def make_wheel(arch: str, library: pathlib.Path, output: pathlib.Path) -> pathlib.Path:
    number = version()
    tag = f"py3-none-manylinux_{GLIBC.replace('.', '_')}_{arch}"
    dist_info = f"indim-{number}.dist-info"
    wheel = Wheel(output / f"indim-{number}-{tag}.whl")
    package = ROOT / "python" / "indim"
    for path in sorted(package.glob("*.py")) + [package / "py.typed"]:
        wheel.add(f"indim/{path.name}", path.read_bytes())
    wheel.add(f"indim/{LIBRARY}", library.read_bytes())
    wheel.add(f"{dist_info}/METADATA", METADATA.format(version=number) + (ROOT / "docs" / "python.md").read_text("utf-8"))
    wheel.add(f"{dist_info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: indim\nRoot-Is-Purelib: false\nTag: {tag}\n")
    wheel.add(f"{dist_info}/entry_points.txt", ENTRY_POINTS)
    for name in ("LICENSE", "NOTICE"):
        wheel.add(f"{dist_info}/licenses/{name}", (ROOT / name).read_bytes())
    abseil = ROOT / ".cross" / "sources" / "abseil-cpp" / "LICENSE"
    if abseil.exists():
        wheel.add(f"{dist_info}/licenses/LICENSE.abseil", abseil.read_bytes())
    wheel.write(dist_info)
    return wheel.path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--arch", action="append", choices=ARCHITECTURES)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".cache" / "wheels")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--library", type=pathlib.Path, help="take this library instead of building one; with one --arch")
    options = parser.parse_args()
    architectures = options.arch or ARCHITECTURES
    if options.library and len(architectures) != 1:
        parser.error("--library goes with one --arch")
    options.output.mkdir(parents=True, exist_ok=True)
    for arch in architectures:
        library = options.library or build_library(arch, options.build.absolute(), options.jobs)
        wheel = make_wheel(arch, library, options.output)
        print(f"{wheel}: {wheel.stat().st_size} bytes, its library {library.stat().st_size}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
