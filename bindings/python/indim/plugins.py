# SPDX-License-Identifier: Apache-2.0
"""XLA itself, through PJRT plugins."""

import ctypes
import functools
from typing import TYPE_CHECKING, Any, Mapping

from . import _abi
from ._library import Address, Handle, address, check, encoded, handles_array, lib, made_handle, text_of, texts_array
from ._refusal import REFUSED, refused
from .dlpack import Taken, capsule, delete, device_of
from .errors import Unshared
from .literals import ArrayLike, Literal

if TYPE_CHECKING:
    from .modules import Module


class Buffer(Handle):
    """An array in a device's memory."""

    __slots__ = ()
    _release = lib.indim_buffer_release
    _comes_from = "Client.buffer or Executable.execute"

    def literal(self) -> Literal:
        """A copy in the memory of the CPU."""
        return Literal(made_handle(lib.indim_buffer_to_literal, self._handle))

    def value(self) -> Any:
        """A numpy array."""
        return self.literal().value()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.literal().__array__(dtype)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: "bool | None" = None
    ) -> Any:
        """The buffer's own memory, which nobody may write to."""
        if copy:
            fix = "buffer.literal().__dlpack__(copy=True)"
            raise refused(REFUSED, "a buffer's memory isn't copied", fix=fix, kind=Unshared)
        return capsule(made_handle(lib.indim_buffer_to_dlpack, self._handle))

    def __dlpack_device__(self) -> "tuple[int, int]":
        tensor = made_handle(lib.indim_buffer_to_dlpack, self._handle)
        device = device_of(tensor)
        delete(tensor)
        return device


class Executable(Handle):
    """A compiled module, to be called."""

    __slots__ = ("module",)
    _release = lib.indim_executable_release
    _comes_from = "Client.compile"

    def __init__(self, handle: Address, module: "Module") -> None:
        super().__init__(handle)
        self.module = module

    def __call__(self, *arguments: ArrayLike) -> Any:
        """Uploads, runs and waits: a numpy array, or a tuple of them."""
        literals = self.module.literals(arguments)
        array = handles_array([literal._handle or 0 for literal in literals])
        return Literal(made_handle(lib.indim_run, self._handle, array, len(literals))).value()

    def execute(self, *inputs: Buffer) -> "list[Buffer]":
        """Runs on one device, from buffers to buffers: one for each array of the parameters and of the result."""
        array = handles_array([address(buffer, Buffer) or 0 for buffer in inputs])
        count: int = lib.indim_executable_output_count(self._handle)
        outputs = (ctypes.c_void_p * count)()
        check(lib.indim_execute(self._handle, array, len(inputs), outputs, count, None))
        return [Buffer(Address(output or 0)) for output in outputs]


class Client(Handle):
    """A plugin, loaded and started: Client("cpu"), Client("cpu", cpu_device_count=8), Client("/a/plugin.so")."""

    __slots__ = ()
    _release = lib.indim_client_release

    def __init__(self, plugin: str = "cpu", **options: "str | int | bool") -> None:
        texts, _keep = texts_array([f"{name}={_option(value)}" for name, value in options.items()])
        super().__init__(made_handle(lib.indim_client_create, *encoded(plugin), texts, len(options)))

    @property
    def platform(self) -> str:
        """What the plugin calls itself: "cpu", "cuda"."""
        return text_of(lib.indim_client_platform, self._handle)

    @property
    def device_count(self) -> int:
        """How many devices the plugin has here."""
        count: int = lib.indim_client_device_count(self._handle)
        return count

    def buffer(self, value: ArrayLike, *, device: int = 0) -> Buffer:
        """A copy of an array on a device."""
        literal = Literal.of(value)
        return Buffer(made_handle(lib.indim_buffer_from_literal, self._handle, literal._handle, device))

    def from_dlpack(self, source: Any) -> Buffer:
        """Of anything with __dlpack__, without a copy where the plugin and the memory allow it: then who writes there changes
        the buffer.
        """
        taken = Taken(source)
        made = made_handle(lib.indim_buffer_from_dlpack, self._handle, taken.address)
        taken.done()
        return Buffer(made)

    def compile(
        self,
        module: "Module",
        *,
        replicas: int = 0,
        partitions: int = 0,
        flags: "Mapping[str, Any] | None" = None,
        sizes: "Mapping[str, int | str] | None" = None,
    ) -> Executable:
        """Infers, checks, expands and compiles. `flags` are XLA's: {"xla_cpu_enable_fast_math": False}; `sizes` the values of
        sizes that have names: {"n": 8}.
        """
        if sizes:
            module = module.infer(*(f"{name}={value}" for name, value in sizes.items()))
        given = [f"{name}={_option(value)}" for name, value in (flags or {}).items()]
        texts, _keep = texts_array(given)
        options = _abi.indim_compile_options(
            replicas=replicas, partitions=partitions, flags=ctypes.addressof(texts), flag_count=len(given)
        )
        from .modules import Module

        return Executable(made_handle(lib.indim_compile, self._handle, address(module, Module), ctypes.byref(options)), module)


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@functools.lru_cache(maxsize=None)
def client(plugin: str = "cpu") -> Client:
    """The client of a plugin, started once in this process."""
    return Client(plugin)
