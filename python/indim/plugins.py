"""XLA itself, through PJRT plugins."""

import ctypes
import functools
from typing import TYPE_CHECKING, Any, Mapping

from . import _abi
from ._library import Handle, encoded, handles_array, lib, made_handle, text_of, texts_array
from .literals import ArrayLike, Literal

if TYPE_CHECKING:
    from .modules import Module


class Executable(Handle):
    """A compiled module, to be called."""

    __slots__ = ("module",)
    _release = lib.indim_executable_release

    def __init__(self, handle: int, module: "Module") -> None:
        super().__init__(handle)
        self.module = module

    def __call__(self, *arguments: ArrayLike) -> Any:
        """Uploads, runs and waits: a numpy array, or a tuple of them."""
        literals = self.module.literals(arguments)
        array = handles_array([literal._handle or 0 for literal in literals])
        return Literal(made_handle(lib.indim_run, self._handle, array, len(literals))).value()


class Client(Handle):
    """A plugin, loaded and started: Client("cpu"), Client("cpu", cpu_device_count=8), Client("/a/plugin.so")."""

    __slots__ = ()
    _release = lib.indim_client_release

    def __init__(self, plugin: str = "cpu", **options: "str | int | bool") -> None:
        texts, _keep = texts_array([f"{name}={_option(value)}" for name, value in options.items()])
        super().__init__(made_handle(lib.indim_client_create, *encoded(plugin), texts, len(options)))

    @property
    def platform(self) -> str:
        return text_of(lib.indim_client_platform, self._handle)

    @property
    def device_count(self) -> int:
        count: int = lib.indim_client_device_count(self._handle)
        return count

    def compile(
        self, module: "Module", *, replicas: int = 0, partitions: int = 0, flags: "Mapping[str, Any] | None" = None
    ) -> Executable:
        """Infers, checks, expands and compiles. `flags` are XLA's: {"xla_cpu_enable_fast_math": False}."""
        options = _abi.indim_compile_options(struct_size=ctypes.sizeof(_abi.indim_compile_options))
        options.replicas = replicas
        options.partitions = partitions
        given = [f"{name}={_option(value)}" for name, value in (flags or {}).items()]
        texts, _keep = texts_array(given)
        options.flags = ctypes.addressof(texts)
        options.flag_count = len(given)
        return Executable(made_handle(lib.indim_compile, self._handle, module._handle, ctypes.byref(options)), module)


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@functools.lru_cache(maxsize=None)
def client(plugin: str = "cpu") -> Client:
    """The client of a plugin, started once in this process."""
    return Client(plugin)
