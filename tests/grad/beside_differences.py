# SPDX-License-Identifier: Apache-2.0
"""The gradient of every module of a folder on XLA's CPU, beside a five-point directional derivative.

  beside_differences.py --indim=PROGRAM --work=FOLDER [--bound=STEPS] [--limit=SECONDS] MODULE...

MODULE is a file X.hlo.pb or a folder of them; X.opt.hlo.pb, what XLA has optimised, is left out. Floats become f64, so that
differences tell; a module that this can't be done to, or that several devices run, stays as it is. `indim grad` makes the
gradient of the module and of its f64 form, `indim check` verifies both, and jaxlib runs the latter. --bound (64): of loops of
unknown length. Results that aren't finite, at any of three kinds of arguments, are left out of the module.

A line tells of each: agrees (the error, relative); differs; refused (why); or what kept it from being compared. --work keeps
what was found: a run that was cut off goes on. The last line counts.
"""

import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys

DEVICES = 8


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


# --- The module in f64 -----------------------------------------------------------------------------------------------

NOTES = r'custom-call\(([^)]*)\), custom_call_target="(Sharding|xla.sdy.(?!GlobalTo|LocalTo)\w+|annotate_device_placement)"'
CONVERSION = r"^(\s*(?:ROOT )?)(%?[\w.\-]+) = (\w+)(\[[^\]]*\])(\{[^}]*\})? bitcast-convert\((?:\w+\[[^\]]*\]\S* )?(%?[\w.\-]+)\)(.*)$"


def in_f64(text):
    """Bits of floats are those of f32 still."""
    types = dict(re.findall(r"%?([\w.\-]+) = (\w+)\[", text))
    lines = []
    for line in re.sub(NOTES, r"copy(\1)", text).split("\n"):
        found = re.match(CONVERSION, line)
        if found and found[3] == "f32":
            lines += [f"  {found[2]}.bits = f@32{found[4]} bitcast-convert({found[6]})", f"{found[1]}{found[2]} = f64{found[4]} convert({found[2]}.bits){found[7]}"]
        elif found and found[3] in ("u32", "s32") and types.get(found[6].lstrip("%")) == "f32":
            lines += [f"  {found[2]}.bits = f@32{found[4]} convert({found[6]})", f"{found[1]}{found[2]} = {found[3]}{found[4]} bitcast-convert({found[2]}.bits){found[7]}"]
        else:
            lines.append(line)
    text = re.sub(r"reduce-precision\(([^)]*)\), exponent_bits=\d+, mantissa_bits=\d+", r"copy(\1)", "\n".join(lines))
    text = re.sub(r"\b(f32|bf16|f16|f8\w+)\[", "f64[", text)
    text = re.sub(r'"lapack_([sc])', lambda found: '"lapack_' + {"s": "d", "c": "z"}[found[1]], text)
    return re.sub(r"\bc64\[", "c128[", text).replace("f@32", "f32")


def without_results(text, dropped):
    """The module without these elements of the tuple that it gives."""
    head, entry = text[: text.index("\nENTRY")], text[text.index("\nENTRY") :]
    root = re.search(r"ROOT (\S+) = \(.*\) tuple\(([^)]*)\)(.*)", entry)
    kept = [name for i, name in enumerate(re.split(r",\s*", re.sub(r"/\*.*?\*/", "", root[2]))) if i not in dropped]
    kept = [name.split()[-1] for name in kept]
    types = [re.search(rf"{re.escape(name)} = (\S+\[[^\]]*\])", entry)[1] for name in kept]
    entry = entry.replace(root[0], f"ROOT {root[1]} = ({', '.join(types)}) tuple({', '.join(kept)})")
    return re.sub(r"entry_computation_layout=\{.*?\}(?=$|, \w+=)", "", head.split("\n")[0]).rstrip(", ") + head[len(head.split("\n")[0]) :] + re.sub(r"(ENTRY \S+) \(.*\{", r"\1 {", entry, count=1)


# --- XLA -------------------------------------------------------------------------------------------------------------


class Program:
    def __init__(self, module, devices):
        import jax
        import numpy as np
        from jax._src import xla_bridge
        from jax._src.lib import xla_client
        from jaxlib import _jax

        try:
            from jaxlib.cpu import _lapack

            _lapack.initialize()
            import jax._src.lax.linalg  # registers LAPACK's calls
        except ImportError:
            pass
        self.jax, self.np, self.client = jax, np, xla_client
        computation = xla_client.XlaComputation(module)
        self.parameters, self.result = computation.program_shape().parameter_shapes(), computation.program_shape().result_shape()
        cpu = xla_bridge.get_backend("cpu")
        self.devices = cpu.local_devices()[:devices]
        options = xla_client.CompileOptions()
        options.num_partitions = devices
        options.device_assignment = xla_client.DeviceAssignment.create(np.array([[d.id for d in self.devices]]))
        build = options.executable_build_options
        build.num_partitions, build.use_spmd_partitioning, build.device_assignment = devices, devices > 1, options.device_assignment
        build.use_shardy_partitioner = devices > 1 and b"xla.sdy." in module
        self.list = _jax.DeviceList(tuple(self.devices))
        self.loaded = cpu.compile_and_load(_jax.mlir.xla_computation_to_mlir_module(computation), executable_devices=self.list, compile_options=options)

    def __call__(self, arguments):
        """The leaves of the result, whole."""
        with self.jax.enable_x64(True):
            shardings = self.loaded.get_parameter_shardings() or [None] * len(arguments)
            everywhere = self.jax.sharding.NamedSharding(self.jax.sharding.Mesh(self.np.array(self.devices), "x"), self.jax.sharding.PartitionSpec())
            from jax._src.sharding_impls import GSPMDSharding

            given = [self.jax.device_put(a, everywhere if s is None else GSPMDSharding(self.list, s)) for a, s in zip(arguments, shardings)]
            results = self.loaded.execute_sharded(given).disassemble_into_single_device_arrays()
            out = self.loaded.get_output_shardings() or [None] * len(results)
            return [self.joined([self.np.asarray(p) for p in parts], s) for parts, s in zip(results, out)]

    def joined(self, parts, sharding):
        sharding = sharding and self.client.HloSharding.from_proto(sharding)
        if len(parts) == 1 or not sharding or sharding.is_replicated():
            return parts[0]
        tiles = list(sharding.tile_assignment_dimensions())
        devices = self.np.array(list(sharding.tile_assignment_devices())).reshape(tiles)
        whole = self.np.zeros([n * t for n, t in zip(parts[0].shape, tiles)], parts[0].dtype)
        for at in self.np.ndindex(*tiles):
            place = tuple(slice(k * n, (k + 1) * n) for k, n in zip(at, parts[0].shape))
            whole[place] = parts[devices[at]]
        return whole

    def leaves(self):
        def of(shape):
            return [leaf for part in shape.tuple_shapes() for leaf in of(part)] if shape.is_tuple() else [shape]

        return of(self.result)


def value(np, random, kind, shape):
    dtype, sizes = shape.numpy_dtype(), shape.dimensions()
    if dtype.kind == "f":
        small = [lambda: 0.1 * random.standard_normal(sizes), lambda: random.uniform(0.02, 0.1, sizes), lambda: random.uniform(0.2, 0.9, sizes)][kind]
        return np.asarray(small() if len(sizes) >= 2 or kind == 2 else random.uniform(0.3, 0.9, sizes), dtype)
    if dtype.kind == "c":
        return np.asarray(random.standard_normal(sizes) + 1j * random.standard_normal(sizes), dtype)
    return np.asarray(random.integers(0, 2**31 if dtype == np.uint32 else 2 if dtype.kind == "b" else 3, sizes), dtype)


def compared(np, primal, gradient, kind, exact):
    """The relative error, and which float results aren't finite."""
    random = np.random.default_rng(kind)
    x = [value(np, random, kind, shape) for shape in primal.parameters]
    along = [0.5 * random.standard_normal(v.shape) * np.maximum(np.abs(v), 0.1) if v.dtype.kind == "f" else 0.3 * (random.standard_normal(v.shape) + 1j * random.standard_normal(v.shape)) if v.dtype.kind == "c" else None for v in x]
    floats = [i for i, shape in enumerate(primal.leaves()) if shape.numpy_dtype().kind in "fc"]
    seeds = [random.standard_normal(shape.dimensions()).astype(shape.numpy_dtype()) for shape in primal.leaves() if shape.numpy_dtype().kind in "fc"]

    def at(h):
        return [primal([v if d is None else np.asarray(v + h * d, v.dtype) for v, d in zip(x, along)])[i] for i in floats]

    bad = [floats[k] for k, result in enumerate(at(0)) if not np.isfinite(result).all()]
    if bad:
        return float("nan"), bad
    moved = [d for d in along if d is not None]
    products = [np.asarray(g, "c16" if g.dtype.kind == "c" else "f8") * d for g, d in zip(gradient(x + seeds), moved)]
    got = complex(sum(np.sum(p) for p in products)).real
    scale = float(np.sqrt(sum(np.sum(np.abs(p) ** 2) for p in products)))
    least = float("nan")
    for h in (1e-4, 1e-6, 3e-3) if exact else (1e-1, 1e-2, 1e-3):
        f = {k: complex(sum(np.sum(np.asarray(r, "c16") * s) for r, s in zip(at(k * h), seeds))).real for k in (-2, -1, 1, 2)}
        difference = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)
        error = abs(difference - got) / max(abs(difference), scale, 1e-12)
        least = error if not error >= least else least
    return least, []


# --- One module ------------------------------------------------------------------------------------------------------


def one(indim, work, bound, path):
    name = os.path.basename(path)[: -len(".hlo.pb")]
    text, f64, gradient = (os.path.join(work, name + end) for end in (".hlo", ".64.hlo", ".gradient.pb"))
    if run(indim, "convert", path, "-o", text).returncode:
        return "is no module"
    source = open(text).read()
    devices = DEVICES if re.search(r"GlobalToLocalShape|SPMDFullToShardShape", source) else 1
    made = run(indim, "grad", path, f"--loop-bound={bound}", "-o", gradient)
    if made.returncode:
        return "refused: " + made.stderr.strip().split("error: ", 1)[-1]
    if run(indim, "check", gradient).returncode:
        return "makes an invalid module"
    exact = devices == 1 and not re.search(r'custom_call_target="(?!lapack_).*API_VERSION_TYPED_FFI', source)
    form = in_f64(source) if exact else source
    for _ in range(3):
        with open(f64, "w") as file:
            file.write(form)
        module = os.path.join(work, name + ".64.pb")
        if exact and (run(indim, "convert", f64, "-o", module).returncode or run(indim, "check", module).returncode):
            exact, form = False, source
            continue
        module = module if exact or form != source else path
        if form != source and not exact:
            run(indim, "convert", f64, "-o", module)
        made = run(indim, "grad", module, f"--loop-bound={bound}", "-o", gradient)
        if made.returncode or run(indim, "check", gradient).returncode:
            return "in f64 refused: " + made.stderr.strip()
        import numpy as np

        try:
            programs = [Program(open(p, "rb").read(), devices) for p in (module, gradient)]
        except Exception as error:  # XLA's own limits
            return "XLA can't compile it: " + str(error).split("\n")[0][:160]
        best, bad = float("nan"), set()
        for kind in range(3):
            error, infinite = compared(np, *programs, kind, exact)
            bad.update(infinite)
            best = error if not error >= best else best
            if best < (1e-5 if exact else 2e-2):
                return f"agrees: {best:.1e}" + ("" if exact else " in its own types")
        if not bad or not programs[0].result.is_tuple() or len(bad) >= len(programs[0].leaves()):
            return f"differs: {best:.1e}"
        form = without_results(form, bad)
    return f"differs: {best:.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--indim", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--bound", type=int, default=64)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("modules", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES}"
    if options.one:
        print(one(options.indim, options.work, options.bound, options.modules[0]))
        return
    paths = [p for m in options.modules for p in ([m] if os.path.isfile(m) else sorted(glob.glob(os.path.join(m, "*.hlo.pb"))))]
    found_file = os.path.join(options.work, "found.json")
    found = json.load(open(found_file)) if os.path.exists(found_file) else {}
    for path in sorted(paths, key=os.path.getsize):
        name = os.path.basename(path)[: -len(".hlo.pb")]
        if path.endswith(".opt.hlo.pb") or name in found:
            continue
        command = [sys.executable, "-B", sys.argv[0], "--one", f"--indim={options.indim}", f"--work={options.work}", f"--bound={options.bound}", path]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
            found[name] = ended.stdout.strip().split("\n")[-1] if ended.returncode == 0 else "fails: " + (ended.stderr.strip() or "ended").split("\n")[-1][:160]
        except subprocess.TimeoutExpired:
            found[name] = f"too slow for {options.limit} s"
        print(f"{name}: {found[name]}", flush=True)
        with open(found_file, "w") as file:
            json.dump(found, file, indent=1)
    print(dict(collections.Counter(what.split(":")[0] for what in found.values())))


if __name__ == "__main__":
    main()
