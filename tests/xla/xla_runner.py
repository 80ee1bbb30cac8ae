# SPDX-License-Identifier: Apache-2.0
"""Runs modules on real XLA and compares with NumPy, for judge.cc.

Reads requests from standard input: a line of JSON, then as many bytes as `sizes` of it says, one blob after the other.
Answers each with a line `ok N` or `failed N` and N bytes of text. What a request holds is said at its function below.
"""

import json
import os
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # before jaxlib comes: no chatter

import numpy as np
from jaxlib import _hlo
from jaxlib import _jax
from jaxlib import xla_client

import numpy_reference as reference

PARTITIONS = 8


class Failed(Exception):
  """XLA or NumPy says otherwise; the text says how."""


class Aval:
  """What jaxlib asks of an abstract value."""

  def __init__(self, shape, dtype):
    self.shape, self.dtype, self.weak_type = shape, dtype, False


class OnDevices(_jax.Sharding):
  """Where the pieces of an array lie: piece i on device i, cut as `hlo_sharding` says."""

  memory_kind = None

  def __init__(self, devices, hlo_sharding):
    super().__init__()
    self._devices, self._hlo_sharding = tuple(devices), hlo_sharding

  def _to_xla_hlo_sharding(self, rank):
    del rank
    return self._hlo_sharding

  @property
  def is_fully_replicated(self):
    return self._hlo_sharding.is_replicated()

  @property
  def device_set(self):
    return set(self._devices)

  @property
  def _device_assignment(self):
    return self._devices

  @property
  def _internal_device_list(self):
    return _jax.DeviceList(self._devices)


def tiles_sharding(tiles, devices):
  """Tile k on devices[k]; no tiles: all of it on each device."""
  if not tiles:
    return xla_client.HloSharding.replicate()
  sharding = xla_client.OpSharding()
  sharding.type = xla_client.OpSharding.Type.OTHER
  sharding.tile_assignment_dimensions = tiles
  sharding.tile_assignment_devices = devices
  return xla_client.HloSharding.from_proto(sharding)


class Xla:
  """A CPU client with as many devices as the partitioner is tried with."""

  def __init__(self):
    self.client = xla_client.make_cpu_client(num_devices=PARTITIONS)
    self.devices = self.client.local_devices()

  def compile(self, module, partitions=1):
    options = xla_client.CompileOptions()
    options.num_partitions = partitions
    options.executable_build_options.num_partitions = partitions
    options.executable_build_options.use_spmd_partitioning = partitions > 1
    devices = self.devices[:partitions]
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[d.id for d in devices]]))
    return self.client.compile_and_load(to_mlir(module), _jax.DeviceList(tuple(devices)), options)

  def run(self, executable, arguments):
    """arguments: per parameter the whole shape, its pieces and their HloSharding; returns lists of pieces."""
    buffers = []
    for shape, pieces, hlo_sharding in arguments:
      devices = self.devices[: len(pieces)]
      buffers.append(xla_client.batched_device_put(
          Aval(shape, pieces[0].dtype), OnDevices(devices, hlo_sharding), pieces, devices, True, enable_x64=True))
    results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [[to_numpy(piece) for piece in result] for result in results]

  def run_whole(self, executable, arguments):
    """On one device."""
    replicate = xla_client.HloSharding.replicate()
    return [r[0] for r in self.run(executable, [(a.shape, [a], replicate) for a in map(np.asarray, arguments)])]

  def run_on_one(self, module, arguments):
    return self.run_whole(self.compile(module), arguments)


def to_numpy(piece):
  array, _ = piece._single_device_array_to_np_array_did_copy()  # np.asarray knows no bf16
  return array


def to_mlir(module):
  return _jax.mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(module))


def mlir_text(module):
  """StableHLO in generic form, as xla_client's own users print it."""
  mlir = to_mlir(module)
  if isinstance(mlir, str):
    return mlir
  if isinstance(mlir, bytes):
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    with ir.Context() as context:
      stablehlo.register_dialect(context)
      context.allow_unregistered_dialects = True
      return str(ir.Module.parse(mlir))
  return str(mlir)


def do_compare(xla, request, blobs):
  """Runs blobs[0] and compares each element of its tuple root with NumPy.

  seed: of the inputs that are made up. inputs: per parameter `shape`, and `domain` or `values`. results: per element
  of the root `shape`, `expect` (an expression in numpy_reference over p0, p1, ...), `ulps` (0: as the type allows);
  with `absolute`, floats may differ by so much more.
  """
  random = np.random.default_rng(request["seed"])
  raw = [reference.make_input(random, i) for i in request["inputs"]]
  got = xla.run_on_one(blobs[0], raw)
  if len(got) != len(request["results"]):
    raise Failed("%d results instead of %d" % (len(got), len(request["results"])))
  complaints = []
  for value, result in zip(got, request["results"]):
    complaint = reference.compare(value, result, raw)
    if complaint:
      complaints.append(complaint)
  if complaints:
    raise Failed("%d of %d results:\n%s" % (len(complaints), len(got), "\n".join(complaints)))
  return ""


def do_mlir(xla, request, blobs):
  """Converts blobs[0] to StableHLO, whose text is the answer."""
  del xla, request
  return mlir_text(blobs[0])


def do_compile(xla, request, blobs):
  """Compiles blobs[0] for one CPU."""
  del request
  xla.compile(blobs[0])
  return ""


def do_read(xla, request, blobs):
  """XLA's own reading of blobs[0] as HLO text."""
  del xla, request
  return _hlo.HloModule.from_serialized_hlo_module_proto(blobs[0]).to_string()


def large_constants():
  options = _hlo.HloPrintOptions()
  options.print_large_constants = True
  return options


def do_print(xla, request, blobs):
  """blobs[0], a module, as XLA prints it with nothing left out."""
  del xla, request
  return _hlo.HloModule.from_serialized_hlo_module_proto(blobs[0]).to_string(large_constants())


def do_reprint(xla, request, blobs):
  """blobs[0], HLO text, as XLA reads and prints it again."""
  del xla, request
  return _hlo.hlo_module_from_text(blobs[0].decode()).to_string(large_constants())


def do_parse(xla, request, blobs):
  """blobs[0], HLO text, as XLA reads it: its bytes in hexadecimal, a blank, and the root's line as XLA prints it."""
  del xla, request
  module = _hlo.hlo_module_from_text(blobs[0].decode())
  root = [line for line in module.to_string().splitlines() if line.startswith("  ROOT")][-1]
  return module.as_serialized_hlo_module_proto().hex() + " " + root


def do_shapes(xla, request, blobs):
  """cases: HLO modules without the root's result shape. One line each: what XLA infers for it, or `error`."""
  del xla, blobs
  lines = []
  for text in request["cases"]:
    try:
      module = _hlo.hlo_module_from_text(text)
      root = [line for line in module.to_string().splitlines() if line.startswith("  ROOT")][-1]
      shape = root.split(" = ", 1)[1].split(" ", 1)[0]
      lines.append(shape.split("{", 1)[0])
    except Exception as error:  # jaxlib raises several kinds
      lines.append("error " + str(error).splitlines()[0])
  return "\n".join(lines)


def cut(array, tiles, devices):
  """The pieces of `array` cut into `tiles`, tile k on devices[k]; no tiles: all of it on each device."""
  if not tiles:
    return [array] * PARTITIONS
  pieces = [None] * PARTITIONS
  for k, index in enumerate(np.ndindex(*tiles)):
    where = [slice(i * (n // t), (i + 1) * (n // t)) for i, n, t in zip(index, array.shape, tiles)]
    pieces[devices[k]] = np.ascontiguousarray(array[tuple(where)])
  return pieces


def do_shard(xla, request, blobs):
  """blobs[0], annotated, on 8 devices against blobs[1], not annotated, on one. The compiled HLO is the answer.

  inputs: as do_compare, and `tiles` and `devices` as cut() takes them. outputs: `tiles` and `devices`.
  """
  random = np.random.default_rng(request["seed"])
  inputs = request["inputs"]
  whole = [reference.make_input(random, i) for i in inputs]
  expected = xla.run_on_one(blobs[1], whole)
  executable = xla.compile(blobs[0], PARTITIONS)
  places = [(i["tiles"], i["devices"]) for i in inputs]
  results = xla.run(executable, [(w.shape, cut(w, *p), tiles_sharding(*p)) for w, p in zip(whole, places)])
  if len(results) != len(expected) or len(results) != len(request["outputs"]):
    raise Failed("%d and %d results" % (len(results), len(expected)))
  for number, (pieces, value, output) in enumerate(zip(results, expected, request["outputs"])):
    for device, (piece, want) in enumerate(zip(pieces, cut(value, output["tiles"], output["devices"]))):
      if piece.shape != want.shape:
        raise Failed("result %d on device %d is %s, not %s" % (number, device, piece.shape, want.shape))
      if not np.allclose(piece, want, rtol=1e-4, atol=1e-5):
        raise Failed("result %d on device %d differs:\n%s\n%s" % (number, device, piece, want))
  return "\n".join(module.to_string() for module in executable.hlo_modules())


def do_train(xla, request, blobs):
  """Steps of training blobs[0] (see examples/train_step.h) beside NumPy's; the losses are the answer, a line each."""
  executable = xla.compile(blobs[0])
  random = np.random.default_rng(request["seed"])
  batch, inputs, hidden, classes = (request[k] for k in ("batch", "inputs", "hidden", "classes"))
  x = random.normal(size=(batch, inputs)).astype(np.float32)
  labels = np.argmax(x @ random.normal(size=(inputs, classes)), axis=1)  # something that can be learnt
  y = np.eye(classes, dtype=np.float32)[labels]
  state = [
      random.normal(size=(inputs, hidden)) / np.sqrt(inputs),
      np.zeros(hidden),
      random.normal(size=(hidden, classes)) / np.sqrt(hidden),
      np.zeros(classes),
  ]
  state = [s.astype(np.float32) for s in state]
  ours = [s.astype(np.float64) for s in state]
  losses = []
  for step in range(request["steps"]):
    *state, loss = xla.run_whole(executable, [x, y] + state)
    *ours, expected = reference.train_step(x, y, *ours, rate=request["rate"])
    for got, want in zip(state + [loss], ours + [expected]):
      if got.shape != np.shape(want) or not np.allclose(got, want, rtol=2e-4, atol=2e-5):
        raise Failed("step %d: %s instead of %s" % (step, got, want))
    losses.append(float(loss))
  return "\n".join("%.9g" % loss for loss in losses)


COMMANDS = {
    "compare": do_compare, "mlir": do_mlir, "compile": do_compile, "read": do_read, "print": do_print,
    "reprint": do_reprint, "parse": do_parse, "shapes": do_shapes, "shard": do_shard, "train": do_train,
}


def read_exactly(stream, size):
  data = stream.read(size)
  if len(data) != size:
    raise EOFError("%d bytes instead of %d" % (len(data), size))
  return data


def main():
  requests, answers = sys.stdin.buffer, sys.stdout.buffer
  sys.stdout = sys.stderr  # what libraries print must not come between
  np.seterr(all="ignore")
  xla = Xla()
  while True:
    line = requests.readline()
    if not line:
      return
    request = json.loads(line)
    blobs = [read_exactly(requests, size) for size in request["sizes"]]
    try:
      status, text = "ok", COMMANDS[request["command"]](xla, request, blobs)
    except Failed as failed:
      status, text = "failed", str(failed)
    except Exception as error:  # XLA's refusals come as several kinds
      status, text = "failed", "%s: %s" % (type(error).__name__, error)
      if not isinstance(error, xla_client.XlaRuntimeError):
        text += "\n" + traceback.format_exc()
    data = text.encode()
    answers.write(b"%s %d\n" % (status.encode(), len(data)) + data)
    answers.flush()


if __name__ == "__main__":
  main()
