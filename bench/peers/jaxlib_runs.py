# SPDX-License-Identifier: Apache-2.0
"""What pjrt_bench.cc does, on jaxlib: jaxlib_runs.py THING prints its time in seconds."""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples"))

import numpy as np
import xla
from jaxlib import _jax, xla_client

RUNS = 10000
TEXT = """module @tiny {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}"""

client = xla_client.make_cpu_client()
device = client.local_devices()[0]
sharding = xla._OneDevice(device)


def put(array):
    return xla_client.batched_device_put(
        xla._Aval(array), sharding, [array], [device], True, enable_x64=True
    )


def tiny():
    return client.compile_and_load(
        TEXT, _jax.DeviceList((device,)), xla_client.CompileOptions()
    )


def run(executable, inputs):
    results = executable.execute_sharded(inputs)
    return results.disassemble_into_single_device_arrays()[0][0]


def first():
    np.asarray(run(tiny(), [put(np.arange(4, dtype=np.float32))]))
    return 0.0


def loop(inputs_of):
    executable = tiny()
    total = 0.0
    start = time.perf_counter()
    for _ in range(RUNS):
        total += float(np.asarray(run(executable, inputs_of()))[1])
    seconds = (time.perf_counter() - start) / RUNS
    assert total == 2.0 * RUNS
    return seconds


def in_place():
    inputs = [put(np.arange(4, dtype=np.float32))]
    return loop(lambda: inputs)


def new_inputs():
    array = np.arange(4, dtype=np.float32)
    return loop(lambda: [put(array)])


def transfer():
    array = np.ones(250 * 1000 * 1000, np.float32)
    start = time.perf_counter()
    # np.array copies, as the other side does; jaxlib may share what it is given.
    np.array(put(array))
    return time.perf_counter() - start


print(f"{globals()[sys.argv[1]]():.9f}")
