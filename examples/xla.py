"""Compiles and runs an HloModuleProto on real XLA (CPU), with jaxlib alone."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # XLA logs at import and later

import numpy as np
from jaxlib import _jax, xla_client


class _Aval:
    """What jaxlib asks of an abstract value."""

    def __init__(self, array):
        self.shape, self.dtype, self.weak_type = array.shape, array.dtype, False


class _OneDevice(_jax.SingleDeviceSharding):
    is_fully_replicated = True
    memory_kind = None

    def _to_xla_hlo_sharding(self, rank):
        return xla_client.HloSharding.replicate()

    @property
    def device_set(self):
        return {self._device}

    @property
    def _device_assignment(self):
        return (self._device,)


def run(module_bytes, arrays):
    """The results for these inputs, one array for each element of the root."""
    client = xla_client.make_cpu_client()
    device = client.local_devices()[0]
    computation = xla_client.XlaComputation(module_bytes)
    executable = client.compile_and_load(
        _jax.mlir.xla_computation_to_mlir_module(computation),
        _jax.DeviceList((device,)),
        xla_client.CompileOptions(),
    )
    inputs = [
        xla_client.batched_device_put(
            _Aval(array), _OneDevice(device), [array], [device], True, enable_x64=True
        )
        for array in arrays
    ]
    results = executable.execute_sharded(inputs)
    return [
        np.asarray(per_device[0])
        for per_device in results.disassemble_into_single_device_arrays()
    ]
