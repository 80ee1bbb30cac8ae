# SPDX-License-Identifier: Apache-2.0
"""Modules that jaxlib compiles with passes that change nothing: identity_passes.py [--limit=SECONDS] MODULE...

MODULE is a file of a module or a folder of them. Each is compiled and run on made-up inputs three times, in a process of its own: without
a pass; with passes at both stages that open an Editor, which hands XLA its own module; and with passes that hand it the module that Indim
read and wrote anew. The results' bytes must be the same. The last lines count modules, and add up seconds: of the compilations, and of
the counters of the passes (docs/passes.md). Exit status 1 where anything differs. PYTHONPATH as for jax_passes.py.
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

TESTS = pathlib.Path(__file__).resolve().parents[2]
STAGES = ("pre_scheduler", "post_scheduler")


def compiled(path: str, folder: str) -> "dict[str, Any]":
    """What tests/run/beside_jaxlib.py tells of a module, with its results' bytes."""
    sys.path.insert(0, str(TESTS / "run"))
    import beside_jaxlib

    with contextlib.redirect_stdout(io.StringIO()) as text:
        beside_jaxlib.peer(path, folder)
    told: "dict[str, Any]" = json.loads(text.getvalue())
    told["bytes"] = [pathlib.Path(folder, f"jaxlib.{i}.npy").read_bytes() for i in range(told["results"])]
    return told


def one(path: str) -> "dict[str, Any]":
    import indim
    import indim.jax
    import jax.extend.xla as xla

    with tempfile.TemporaryDirectory() as folder:
        want = compiled(path, folder)
        if compiled(path, folder)["bytes"] != want["bytes"]:
            raise ValueError("it draws random numbers: no two runs are equal")
        with contextlib.ExitStack() as stack:
            passes = [stack.enter_context(indim.jax.register_pass(lambda e: None, name="identity", stage=stage)) for stage in STAGES]
            kept = compiled(path, folder)
        written = []

        def anew(data: bytes) -> bytes:
            written.append(indim.read(data).to_bytes())
            return written[-1]

        for stage in STAGES:
            xla.register_hlo_module_transformation(anew, name="anew", stage=xla.PipelineStage[stage.upper()])
        other = compiled(path, folder)
    return {
        "equal": kept["bytes"] == want["bytes"] and other["bytes"] == want["bytes"],
        "compiling": want["seconds_exact"],
        "passes": sum(p.seconds for p in passes),
        "modules": [sum(p.calls for p in passes), len(written)],
        "failed": sum(p.failed + p.changed for p in passes),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("modules", nargs="+")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.modules[0])))
        return 0
    files = [file for given in map(pathlib.Path, options.modules) for file in (sorted(given.glob("*.pb")) if given.is_dir() else [given])]
    equal, wrong, left_out, compiling, passes = 0, 0, 0, 0.0, 0.0
    for file in files:
        command = [sys.executable, __file__, "--one", str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False)
        except subprocess.TimeoutExpired:
            left_out += 1
            print(f"{file.name}: longer than {options.limit} s", flush=True)
            continue
        if done.returncode:
            left_out += 1
            print(f"{file.name}: {(done.stderr.strip().splitlines() or [f'status {done.returncode}'])[-1][:200]}", flush=True)
            continue
        told = json.loads(done.stdout.splitlines()[-1])
        is_right = told["equal"] and not told["failed"] and min(told["modules"]) > 0
        equal, wrong = equal + is_right, wrong + (not is_right)
        compiling, passes = compiling + told["compiling"], passes + told["passes"]
        if not is_right:
            print(f"{file.name}: differs: {told}", flush=True)
    print(f"{equal} modules with equal results, {wrong} with others, {left_out} that jaxlib doesn't compile and run alone")
    print(f"compiled in {compiling:.1f} s, passes took {passes:.2f} s: {100 * passes / max(compiling, 1e-9):.2f} %")
    return 1 if wrong or not equal else 0


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    sys.exit(main())
