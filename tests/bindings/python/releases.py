# SPDX-License-Identifier: Apache-2.0
"""What releases of jax and jaxlib lower and compile, as Indim reads it: releases.py [--folder=FOLDER] [--write] [RELEASE...]

Each release is installed into the folder, unless it is there; jax_release.py writes its modules; here they are read in all forms, checked,
evaluated beside jax's own results, and held to tests/data/releases/expectations.txt. Prints the table of docs/passes.md. With --write
tests/data/releases/jaxlib_RELEASE.txt are made anew. Exit status 1 where anything is wrong.

It runs with the Python that has jaxlib 0.10.2, NumPy and ml_dtypes, PYTHONPATH as for jax_test. Later releases need a Python from 3.12 on:
INDIM_NEWER_PYTHON names one, or one is found by its name; where there is none they are left out, and a line says so.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable, Iterator

import indim
import numpy
from indim.testing import assert_same_graph, expect
from support import ROOT

RELEASES = (
    "0.4.30 0.4.31 0.4.33 0.4.34 0.4.35 0.4.36 0.4.38 0.5.0 0.5.1 0.5.3 0.6.0 0.6.1 0.6.2 0.7.0 0.7.1 0.7.2 "
    "0.8.0 0.8.1 0.8.2 0.8.3 0.9.0 0.9.1 0.9.2 0.10.0 0.10.1 0.10.2"
).split()
# These need a later Python; what it needs beside them is installed once for all.
LATER = "0.11.0 0.11.1 0.11.2 0.12.0 0.12.0.1".split()
LATER_NEEDS = "numpy", "ml_dtypes", "opt_einsum", "scipy"
FORMS = "lowered.mlir", "lowered.hlo", "lowered.pb", "compiled.hlo", "compiled.pb"
# What is known (docs/passes.md): calls of oneDNN, which a compiled module only names; releases with graphs of their own.
NO_VALUE = "IND0850"
WITH_OTHER_GRAPHS = "0.4.31", "0.4.33", "0.4.34", "0.11.2", "0.12.0", "0.12.0.1"
DATA = ROOT / "tests" / "data" / "releases"


def expectations() -> "Iterator[tuple[str, str, str]]":
    """Program and form, the number, the pattern."""
    for line in (DATA / "expectations.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            program, number, pattern, *_ = [*line.split(None, 2), ""]
            yield program, number, pattern


def hold(modules: "Callable[[str], indim.Module]", newest: "Callable[[str], indim.Module]") -> "list[str]":
    """The expectations that the modules don't meet."""
    wrong = []
    for program, number, pattern in expectations():
        try:
            if number == "=":
                assert_same_graph(modules(program), newest(program))
            elif number == "+":
                expect(modules(program)).has(pattern)
            else:
                expect(modules(program)).count(pattern, int(number))
        except (AssertionError, indim.Error) as error:
            wrong.append(f"{program}: {error}")
    return wrong


def kept(release: str) -> "Callable[[str], indim.Module]":
    """The modules of tests/data/releases."""
    parts = re.split("^=== (.*)\n", (DATA / f"jaxlib_{release}.txt").read_text(encoding="utf-8"), flags=re.M)
    texts = dict(zip(parts[1::2], parts[2::2]))
    return lambda program: indim.parse(texts[program])


# --- Releases that are installed ---------------------------------------------


def later_python() -> str:
    """A Python from 3.12 on, with pip; "": none is there."""
    names = os.environ.get("INDIM_NEWER_PYTHON", ""), "python3.14", "python3.13", "python3.12"
    test = "import pip, sys; sys.exit(sys.version_info < (3, 12))"
    found = (shutil.which(name) for name in names if name)
    return next((path for path in found if path and subprocess.run([path, "-c", test], capture_output=True, check=False).returncode == 0), "")


def install(python: str, packages: pathlib.Path, *what: str) -> None:
    """With pip, unless they are there."""
    if not (packages / "installed").exists():
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(packages)]
        subprocess.run([*command, *what], check=True)
        (packages / "installed").touch()


def make(release: str, folder: pathlib.Path) -> pathlib.Path:
    """The folder with what the release wrote."""
    packages, written = folder / release, folder / "written" / release
    python, needs = sys.executable, os.environ.get("PYTHONPATH", "")
    if release in LATER:
        python, needs = later_python(), str(folder / "later")
    if not (written / "failed.txt").exists():
        if release in LATER:
            install(python, pathlib.Path(needs), *LATER_NEEDS)
        install(python, packages, f"jax=={release}", f"jaxlib=={release}")
        environment = dict(os.environ, PYTHONPATH=f"{packages}:{needs}")
        program = pathlib.Path(__file__).with_name("jax_release.py")
        subprocess.run([python, str(program), str(written)], env=environment, check=True)
    return written


def read(written: pathlib.Path, release: str, wrong: "list[str]") -> "dict[str, int]":
    """How many modules of each form are right, and how many give jax's values."""
    counts = dict.fromkeys((*FORMS, "values", "of"), 0)
    for form in FORMS:
        for path in sorted(written.glob(f"*.{form}")):
            try:
                module = indim.read(path)
                module.check().raise_for_errors()
                counts[form] += 1
            except indim.Error as error:
                wrong.append(f"{release} {path.name}: {error}")
    for path in sorted(written.glob("*.npz")):
        arrays = numpy.load(path)
        arguments, want = ([arrays[f"{kind}{i}"] for i in range(len(arrays)) if f"{kind}{i}" in arrays] for kind in ("argument", "result"))
        for form in ("lowered.mlir", "lowered.pb", "compiled.pb"):
            counts["of"] += 1
            try:
                made: Any = indim.read(path.with_suffix(f".{form}")).eval(*arguments)
                for got, of in zip(made if isinstance(made, tuple) else (made,), want):
                    # XLA's CPU may leave out a rounding to bf16.
                    numpy.testing.assert_allclose(got, of, rtol=2e-4, atol=0.01 if path.stem == "narrow" else 2e-5)
                counts["values"] += 1
            except indim.Error as error:
                if error.code != NO_VALUE:
                    wrong.append(f"{release} {path.stem}.{form}: {error}")
            except AssertionError as error:
                wrong.append(f"{release} {path.stem}.{form}: {error}")
    return counts


def plain(text: str) -> str:
    """Without source lines and tables of stack frames; of the metadata the op_name is left."""
    text = re.sub(r"^(FileNames|FunctionNames|FileLocations|StackFrames)\n(\d.*\n)*\n*", "", text, flags=re.M)
    text = re.sub(r', metadata=\{(?:[^}"]|"[^"]*")*?op_name=("[^"]*")(?:[^}"]|"[^"]*")*\}', r", metadata={op_name=\1}", text)
    return text.strip() + "\n"


def write(written: pathlib.Path, release: str) -> None:
    wanted = dict.fromkeys(program for program, _, _ in expectations())
    text = "".join(f"=== {program}\n" + plain((written / f"{program}.hlo").read_text(encoding="utf-8")) for program in wanted)
    (DATA / f"jaxlib_{release}.txt").write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("releases", nargs="*")
    options = parser.parse_args()
    if not options.releases:
        options.releases = RELEASES + LATER
        if not later_python():
            options.releases = RELEASES
            print(f"left out for want of a Python from 3.12 on (INDIM_NEWER_PYTHON): {' '.join(LATER)}")
    folder = options.folder or pathlib.Path(tempfile.mkdtemp())
    newest = make(RELEASES[-1], folder)
    wrong: "list[str]" = []
    rows = []
    for release in options.releases:
        written = make(release, folder)
        counts = read(written, release, wrong)
        if options.write:
            write(written, release)
        unmet = hold(*(lambda program, of=of: indim.read(of / f"{program}.hlo") for of in (written, newest)))
        if release not in WITH_OTHER_GRAPHS:
            wrong += [f"{release} {text}" for text in unmet]
        missing = len((written / "failed.txt").read_text(encoding="utf-8").splitlines())
        programs = len(list(written.glob("*.lowered.mlir")))
        cells = [f"{counts[form]} of {programs}" for form in FORMS] + [f"{counts['values']} of {counts['of']}"]
        total = len(list(expectations()))
        rows.append(f"| {release} | {' | '.join(cells)} | {total - len(unmet)} of {total} |")
        wrong += [f"{release}: {missing} modules weren't written"] * bool(missing)
        print(rows[-1], flush=True)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
