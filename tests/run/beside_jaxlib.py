# SPDX-License-Identifier: Apache-2.0
"""Every module of a folder on PJRT plugins through `indim run`, beside jaxlib.

  beside_jaxlib.py --indim=PROGRAM --plugin=LIBRARY[,LIBRARY...] --work=FOLDER [--limit=SECONDS] [--budget=SECONDS]
      [--again] [--lapack=PROGRAM] MODULE...

MODULE is a file of a module or a folder of them. jaxlib compiles and runs each on made-up inputs, in a process of its own;
then PROGRAM does, on each plugin, on the same inputs. --work keeps what was found, so that a run that was cut off, or whose
--budget is used up, goes on where it stopped when it is started again; --again asks once more what wasn't equal. What takes
longer than --limit (300) is said to. Modules that call LAPACK run through --lapack, examples/lapack, which has some of it.

A line tells of each module and plugin: equal; differs (where); refused (why); ended (the process); too slow. What jaxlib
itself refuses is not asked. beside_jaxlib.txt lists what isn't equal, each with its cause. The last lines count. The exit
status: 0 all are equal or listed, 1 not all are, 3 the budget is used up.
"""

import argparse
import collections
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

DEVICES = 8  # of a module that is cut or has replicas


# --- jaxlib, in a process of its own ---------------------------------------------------------------------------------


def register_lapack(xla_client):
    from jaxlib.cpu import _lapack

    _lapack.initialize()  # from SciPy's
    for name, handler in _lapack.registrations().items():
        xla_client.register_custom_call_target(name, handler, platform="cpu", api_version=int(name.endswith("_ffi")))


def indices_of(sharding, shape, devices):
    """The part of an array that each device has, as an index."""
    if sharding.is_replicated() or sharding.is_maximal() or sharding.is_manual() or not sharding.is_tiled():
        return [()] * devices
    tiles = list(sharding.tile_assignment_dimensions())[: len(shape)]
    order = list(sharding.tile_assignment_devices())
    repeats = len(order)
    for tile in tiles:
        repeats //= tile
    result = [()] * devices
    for place, device in enumerate(order):
        tile, index = place // repeats, []
        for size, count in zip(reversed(shape), reversed(tiles)):
            part = -(-size // count)
            at = tile % count
            tile //= count
            index.insert(0, slice(min(at * part, size), min(at * part + part, size)))
        result[device] = tuple(index)
    return result


def make_input(np, random, shape):
    dtype, dims = shape.numpy_dtype(), shape.dimensions()
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.integers(0, 2, dims).astype(bool)
    if kind in "iu":
        return random.integers(-6 if kind == "i" else 0, 7, dims).astype(dtype)
    if kind == "c":
        return (random.uniform(-1, 1, dims) + 1j * random.uniform(-1, 1, dims)).astype(dtype)
    return random.uniform(-1, 1, dims).astype(dtype)


def peer(path, folder):
    """Writes jaxlib's inputs and results of a module; what it says of it goes to standard output as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../xla"))
    import numpy as np
    import xla_runner
    from jaxlib import _hlo, _jax, xla_client

    register_lapack(xla_client)
    with open(path, "rb") as file:
        data = file.read()
    replicas = 1
    if path.endswith(".hlo"):
        said = re.search(rb"^HloModule .*\breplica_count=(\d+)", data, re.MULTILINE)
        replicas = int(said[1]) if said else 1
        if b"constant({...})" in data or b", {...})" in data:
            raise ValueError("the text leaves values of constants out")
        data = _hlo.hlo_module_from_text(data.decode()).as_serialized_hlo_module_proto()
    text = _hlo.HloModule.from_serialized_hlo_module_proto(data).to_string()
    shardy = "xla.sdy" in text
    cut = shardy or "sharding={" in text
    devices = DEVICES if cut else replicas
    parameters = xla_client.XlaComputation(data).program_shape().parameter_shapes()
    if any(p.is_tuple() or p.is_token() for p in parameters):
        raise ValueError("a parameter is a tuple or a token, which this script makes none of")
    random = np.random.default_rng(1)
    inputs = [np.asarray(make_input(np, random, p)) for p in parameters]

    client = xla_client.make_cpu_client(num_devices=devices)
    places = client.local_devices()
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    ids = np.array([[d.id for d in places]])
    if cut:
        options.num_partitions = build.num_partitions = devices
        build.use_spmd_partitioning = True
        build.use_shardy_partitioner = shardy
    else:
        options.num_replicas = build.num_replicas = devices
        ids = ids.T
    options.device_assignment = xla_client.DeviceAssignment.create(ids)
    start = time.time()
    module = xla_runner.to_mlir(data)
    executable = client.compile_and_load(module, _jax.DeviceList(tuple(places)), options)
    compiled = time.time() - start

    def shardings(given, count):
        if not cut or given is None:
            return [xla_client.HloSharding.replicate()] * count
        return [xla_client.HloSharding.from_proto(s) for s in given]

    buffers = []
    for array, sharding in zip(inputs, shardings(executable.get_parameter_shardings(), len(inputs))):
        pieces = [np.ascontiguousarray(array[i]).reshape(array[i].shape) for i in indices_of(sharding, array.shape, devices)]
        buffers.append(xla_client.batched_device_put(
            xla_runner.Aval(array.shape, array.dtype), xla_runner.OnDevices(places, sharding), pieces, places, True,
            enable_x64=True))
    results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    results = [[xla_runner.to_numpy(piece) for piece in result] for result in results]
    wholes = []
    for pieces, sharding in zip(results, shardings(executable.get_output_shardings(), len(results))):
        if not cut or sharding.is_replicated() or not sharding.is_tiled():
            wholes.append(pieces[0])
            continue
        tiles = list(sharding.tile_assignment_dimensions())
        shape = tuple(size * count for size, count in zip(pieces[0].shape, tiles))
        whole = np.zeros(shape, pieces[0].dtype)
        for index, piece in zip(indices_of(sharding, shape, devices), pieces):
            whole[index] = piece
        wholes.append(whole)
    for i, array in enumerate(inputs):
        np.save(os.path.join(folder, f"in.{i}.npy"), array)
    for i, array in enumerate(wholes):
        np.save(os.path.join(folder, f"jaxlib.{i}.npy"), array)
    print(json.dumps({"inputs": len(inputs), "results": len(wholes), "devices": devices, "seconds": round(compiled, 1), "seconds_exact": compiled,
                      "types": [str(w.dtype) for w in wholes]}))


# --- Beside it -------------------------------------------------------------------------------------------------------


def last_line(text, most=400):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:most] if lines else ""


def run_child(command, limit):
    """(exit status, output, errors); None: it took longer than the limit."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def ask_jaxlib(path, folder, limit):
    done = run_child([sys.executable, "-B", os.path.abspath(__file__), "--peer", path, folder], limit)
    if done is None:
        return {"error": f"jaxlib takes longer than {limit} s"}
    status, output, errors = done
    if status == 0:
        return json.loads(last_line(output, len(output)))
    if status < 0:
        return {"error": f"jaxlib's process ended by signal {-status}"}
    return {"error": last_line(errors)}


# Of differences that are rounding, in parts of an array's largest element, by the width of its numbers. Arrays of smaller
# elements than LEAST may be what is left of larger ones.
TOLERANCES = {8: 1e-8, 4: 1e-4, 2: 2e-2, 1: 0.15}
LEAST = 0.1


def difference(np, ours, theirs):
    """What differs; "": nothing but rounding."""
    if ours.shape != theirs.shape:
        return f"it is of shape {ours.shape}, not {theirs.shape}"
    if theirs.dtype.kind in "biu" or ours.size == 0:
        wrong = np.asarray(ours != theirs)
    else:
        is_complex = theirs.dtype.kind == "c"
        width = theirs.dtype.itemsize // (2 if is_complex else 1)
        a, b = (x.astype(np.complex128 if is_complex else np.float64) for x in (ours, theirs))
        finite = np.isfinite(b)
        largest = np.max(np.abs(b), where=finite, initial=LEAST)
        with np.errstate(all="ignore"):
            near = np.abs(a - b) <= TOLERANCES[width] * largest
        wrong = np.asarray(~(near | (a == b) | (np.isnan(a) & np.isnan(b))))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"at {list(at)} {ours[at]}, jaxlib {theirs[at]}; {int(wrong.sum())} of {wrong.size}"


def results_of(folder, stem):
    """The files of the arrays of a result, in their order: STEM.npy, or STEM.0.npy, STEM.1.0.npy, ..."""
    def place(path):
        return [int(n) for n in os.path.basename(path)[len(stem) + 1: -len(".npy")].split(".") if n]
    return sorted(glob.glob(os.path.join(folder, stem + "*.npy")), key=place)


def compare(folder, stem, said):
    import numpy as np
    import ml_dtypes  # noqa: F401, gives NumPy the names of its types

    files = results_of(folder, stem)
    if len(files) != said["results"]:
        return f"differs: it has {len(files)} results, not {said['results']}"
    for i, path in enumerate(files):
        ours, theirs = np.load(path), np.load(os.path.join(folder, f"jaxlib.{i}.npy"))
        dtype = np.dtype(said["types"][i])
        found = difference(np, ours.view(dtype) if ours.dtype != dtype else ours, theirs.view(dtype))
        if found:
            return f"differs: result {i} {found}"
    return "equal"


def ask_indim(options, path, folder, said, plugin, stem):
    answer = ask_program(options.indim, options, path, folder, said, plugin, stem)
    if options.lapack and "lapack_" in answer:
        answer = ask_program(options.lapack, options, path, folder, said, plugin, stem)
    return answer


def ask_program(program, options, path, folder, said, plugin, stem):
    inputs = [os.path.join(folder, f"in.{i}.npy") for i in range(said["inputs"])]
    command = [program, "run", path, *inputs, f"--plugin={plugin}", f"--devices={said['devices']}",
               f"--output={os.path.join(folder, stem)}.npy", "--quiet"]
    done = run_child(command, options.limit)
    if done is None:
        return f"too slow: it takes longer than {options.limit:g} s"
    status, _, errors = done
    if status < 0:
        return f"ended: by signal {-status}"
    if status != 0:
        ended = "IND1107" in errors
        lines = [line for line in errors.splitlines() if "[IND" in line or ": error" in line]
        return ("ended: " if ended else "refused: ") + (lines[0][:400] if lines else last_line(errors))
    return compare(folder, stem, said)


def one_module(options, path, name):
    """A row of what was found: by plugin, or of jaxlib alone."""
    folder = os.path.join(options.work, "now")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    said = ask_jaxlib(path, folder, options.limit)
    if "error" in said:
        return {"jaxlib": said["error"]}
    row = {"jaxlib": f"compiles in {said['seconds']} s"}
    for i, plugin in enumerate(options.plugin):
        start = time.time()
        row[os.path.basename(plugin)] = ask_indim(options, path, folder, said, plugin, f"on{i}")
        row["seconds " + os.path.basename(plugin)] = round(time.time() - start, 1)
    return row


def modules_of(arguments):
    for argument in arguments:
        if not os.path.isdir(argument):
            yield argument
            continue
        paths = set(glob.glob(os.path.join(argument, "**", "*.hlo.pb"), recursive=True))
        texts = glob.glob(os.path.join(argument, "**", "*.hlo"), recursive=True)
        paths.update(text for text in texts if text + ".pb" not in paths)
        yield from sorted(paths)


def show(name, row, options):
    print(f"{name}: jaxlib {row['jaxlib']}")
    for plugin in options.plugin:
        said = row.get(os.path.basename(plugin))
        if said is not None:
            print(f"  {os.path.basename(plugin)}: {said}")
    sys.stdout.flush()


def read_exceptions():
    """Patterns of modules, a plugin or *, a kind, and the cause."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "beside_jaxlib.txt")) as file:
        return [line.split(None, 3) for line in file if line.strip() and line[0] != "#"]


def is_listed(exceptions, path, plugin, kind):
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, e[0]) and e[1] in ("*", plugin) and e[2] == kind for e in exceptions)


def count(rows, options):
    asked = {path: row for path, row in rows.items() if len(row) > 1}
    print(f"{len(rows)} modules, of which jaxlib compiles and runs {len(asked)}")
    exceptions, good = read_exceptions(), True
    for plugin in map(os.path.basename, options.plugin):
        kinds, listed = collections.Counter(), 0
        for path, row in asked.items():
            kind = row[plugin].split(":")[0]
            kinds[kind] += 1
            if kind == "equal":
                continue
            if is_listed(exceptions, path, plugin, kind):
                listed += 1
                continue
            good = False
            print(f"not listed: {path} on {plugin}: {row[plugin]}")
        print(f"{plugin}: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()) + f"; {listed} of them listed")
    return 0 if good else 1


def main():
    if sys.argv[1:2] == ["--peer"]:
        peer(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--indim", required=True)
    parser.add_argument("--plugin", required=True, type=lambda text: text.split(","))
    parser.add_argument("--work", required=True)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--budget", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--lapack")
    parser.add_argument("modules", nargs="+")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.makedirs(options.work, exist_ok=True)
    found = os.path.join(options.work, "found.jsonl")
    rows = {}
    if os.path.exists(found):
        with open(found) as file:
            rows = dict(json.loads(line) for line in file)
    if options.again:
        plugins = set(map(os.path.basename, options.plugin))
        rows = {path: row for path, row in rows.items() if all(row.get(p) == "equal" for p in plugins)}
        with open(found, "w") as file:
            file.writelines(json.dumps(item) + "\n" for item in rows.items())
    start = time.time()
    for path in modules_of(options.modules):
        if path in rows:
            continue
        if time.time() - start > options.budget:
            print("the budget is used up; the same command goes on")
            return 3
        rows[path] = one_module(options, path, path)
        with open(found, "a") as file:
            file.write(json.dumps([path, rows[path]]) + "\n")
        show(path, rows[path], options)
    return count(rows, options)


if __name__ == "__main__":
    sys.exit(main())
