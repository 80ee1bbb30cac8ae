# SPDX-License-Identifier: Apache-2.0
"""Passes of ours in the pipeline of XLA that JAX runs. indim.jax has the names for programs; docs/passes.md tells what each stage sees."""

import dis
import hashlib
import importlib
import os
import re
import threading
import time
import traceback
import warnings
import weakref
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Sequence, Union

from ._library import check, lib
from ._refusal import NAME, REFUSED, TYPE, VALUE, nearest, refused
from .edit import Editor
from .errors import Error, Unimplemented, WrongType
from .modules import Module, read

# What a pass may be: it edits and returns nothing, or returns the module that is to be compiled.
PassFunction = Callable[[Any], Union[None, Module]]

_STAGES = ("pre_scheduler", "post_scheduler")
_ARGUMENTS = ("editor", "module")
_ON_ERROR = ("raise", "warn")


def _xla() -> Any:
    """jax.extend.xla. Raises Unimplemented where this jax hasn't it."""
    try:
        return importlib.import_module("jax.extend.xla")
    except ImportError as error:
        raise refused(REFUSED, "passes in XLA's pipeline need jax and jaxlib 0.10.2 or later", kind=Unimplemented) from error


def _stage_of(name: str) -> Any:
    return _xla().PipelineStage[name.upper()]


def _platforms() -> "set[str]":
    """Those that this jax knows; empty where it doesn't tell."""
    bridge: Any = importlib.import_module("jax._src.xla_bridge")
    known = set(getattr(bridge, "_backend_factories", ()))
    aliases = getattr(bridge, "_platform_aliases", {})
    return known and known | set(aliases) | set(aliases.values())


def _place_of(function: PassFunction, error: BaseException) -> "tuple[str, int]":
    """The line of the pass: where the error came out of its file, else the line that recorded what is wrong, else where the function begins.
    ("", 0): it isn't written in Python."""
    code = getattr(function, "__code__", None)
    if code is None:
        return "", 0
    lines = range(code.co_firstlineno, max(line or 0 for _, line in dis.findlinestarts(code)) + 1)
    told = (re.match(re.escape(code.co_filename) + r":(\d+): ", d.text) for d in getattr(error, "diagnostics", ()))
    recorded = (int(found[1]) for found in told if found and int(found[1]) in lines)
    place = code.co_filename, next(recorded, code.co_firstlineno)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == code.co_filename and frame.lineno:
            place = frame.filename, frame.lineno
    return place


class Pass:
    """A pass that is registered, until remove(), or until the end of the `with` block whose subject it is."""

    def __init__(self, function: PassFunction, name: str, stage: str, platforms: Any, takes: str, on_error: str, key: "str | None") -> None:
        self.name = name
        self.stage = stage
        # The function; calling the pass calls it.
        self.function = function
        # How many modules it saw, how many of these it changed, and how many of its results were refused or didn't come.
        self.calls = 0
        self.changed = 0
        self.failed = 0
        # Seconds of its threads: reading the module, the function, checking and writing.
        self.seconds = 0.0
        # The last error.
        self.error: "BaseException | None" = None
        # Without a key of the program's nothing that was compiled with this pass is to be found again: what it does may depend on more than
        # its source. Nor is what was compiled without it, because it failed.
        unique = key is None or on_error == "warn"
        self.key = f"{name} {stage} " + (f"{os.getpid()} {time.time_ns()} {id(self)}" if unique else f"key {key}")
        self._platforms = platforms
        self._takes = takes
        self._on_error = on_error
        self._lock = threading.Lock()

    def __call__(self, given: Any) -> "Module | None":
        return self.function(given)

    def __enter__(self) -> "Pass":
        return self

    def __exit__(self, kind: Any, value: "BaseException | None", _traceback: Any) -> None:
        self.remove()
        if value is None or type(value).__name__ != "JaxRuntimeError":
            return
        # jaxlib raises an error of its own, with the text of the one that the pass ended with.
        if self.error is not None and _last_line(self.error) in str(value):
            raise self.error from value
        if self.changed and hasattr(value, "add_note"):
            value.add_note(f"the pass {self.name!r} changed {self.changed} of the modules that XLA compiled")

    def __repr__(self) -> str:
        return f"<indim.jax.Pass {self.name!r}: {self.calls} modules, {self.changed} changed, {self.failed} failed, {self.seconds:.3f} s>"

    def remove(self) -> bool:
        """Takes the pass out, and forgets what JAX compiled with it. False: it was out already."""
        if _registered.get((self.stage, self.name)) is not self:
            return False
        del _registered[self.stage, self.name]
        jax: Any = importlib.import_module("jax")
        _xla().clear_hlo_module_transformation(self.name, _stage_of(self.stage), self._platforms)
        jax.clear_caches()
        return True

    def _run(self, data: bytes) -> "bytes | None":
        """What XLA calls, on its compiling threads: the new module, or None for the old one."""
        start = time.thread_time()
        changed = None
        error: "BaseException | None" = None
        try:
            changed = self._result(bytes(data))
        except BaseException as raised:  # pylint: disable=broad-except
            error = raised
        with self._lock:
            self.calls += 1
            self.changed += changed is not None
            self.failed += error is not None
            self.error = error or self.error
            self.seconds += time.thread_time() - start
        if error is not None:
            if self._on_error == "raise":
                raise error
            file, line = _place_of(self.function, error)
            warnings.warn_explicit(f"the pass {self.name!r} is left out: {error}", PassWarning, file or "<pass>", line)
        return changed

    def _result(self, data: bytes) -> "bytes | None":
        module = read(data)
        editor = Editor(module) if self._takes == "editor" else None
        made = self.function(module if editor is None else editor)
        if made is None and editor is None:
            return None
        try:
            if made is None and editor is not None:
                made = editor.finish()
            if not isinstance(made, Module):
                given = (f"of {type(made).__name__}", "None or an indim.Module")
                raise refused(VALUE, "what it returns", *given, what=self.name, kind=WrongType)
            # XLA's own module, in which arrays may lack layouts.
            if made.to_bytes() == data:
                return None
            # Inferred and verified, with a layout for each array: XLA aborts where one lacks it. What no edit touched keeps its bytes.
            made = made.expand()
            check(lib.indim_pass_check_border(module._handle, made._handle))
            written = made.to_bytes()
        except Error as error:
            raise self._refused(error, module) from None
        return None if written == data else written

    def _refused(self, error: Error, of: Module) -> Error:
        """The error with the place of the pass, and the name of the module."""
        file, line = _place_of(self.function, error)
        text = f"{file}:{line}: " * bool(file) + f"of {of.name} the pass {self.name!r} made a module that isn't right; XLA keeps its own:\n{error}"
        return type(error)(text, error.status, error.diagnostics, (file, line))


def _callback(one: Pass) -> "Callable[[bytes], bytes | None]":
    """What XLA calls. jax keeps it for clients that start later, also of a pass that is out: it doesn't keep the pass, nor call it."""
    kept = weakref.ref(one)

    def run(data: bytes) -> "bytes | None":
        found = kept()
        return found._run(data) if found is not None and _registered.get((found.stage, found.name)) is found else None

    return run


def _last_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[-1]


class PassWarning(UserWarning):
    """A pass failed, and XLA compiles the module without it (on_error="warn")."""


# The passes that are in, by stage and name.
_registered: "dict[tuple[str, str], Pass]" = {}


def _compilation_key() -> str:
    """What JAX's compilation cache on disk has to know of them: the same program with another pass is another one."""
    text = "\n".join(one.key for one in _registered.values())
    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""


def _tell_cache() -> None:
    """Adds the passes to the key of JAX's cache on disk, by the hook that it has for such things."""
    try:
        cache_key: Any = importlib.import_module("jax._src.cache_key")
        before = cache_key.custom_hook
    except (ImportError, AttributeError):
        return
    if getattr(before, "indim", False):
        return

    def hook() -> str:
        return str(before()) + _compilation_key()

    hook.indim = True  # type: ignore[attr-defined]
    cache_key.custom_hook = hook


def register_pass(
    function: "PassFunction | None" = None,
    *,
    name: str = "",
    stage: str = "pre_scheduler",
    platforms: "Sequence[str] | str | None" = None,
    takes: str = "editor",
    on_error: str = "raise",
    key: "str | None" = None,
) -> Any:
    """Puts a pass into the pipeline of XLA that jax.jit runs; also a decorator, and the subject of a `with` block that takes it out again.

        @indim.jax.register_pass
        def count_dots(editor):
            print(sum(i.opcode == "dot" for i in editor.module.graph))

    `function` gets an Editor and returns nothing, or, with takes="module", gets the Module and returns one, or None for no change. What it makes
    is inferred and verified before XLA sees it. If that isn't right, or `function` raises, XLA keeps its own module: the caller of the compiled
    function gets the error (on_error="raise"; in a `with` block the error itself, else jaxlib's JaxRuntimeError with its text), or a PassWarning
    (on_error="warn"). `stage`: "pre_scheduler" or "post_scheduler". `platforms`: of JAX, such as "cpu"; None: all. `key`: what the pass does, as a
    text that JAX's compilation cache on disk is asked with; None: what is compiled with the pass isn't found there again. What is found there
    doesn't go through the pass. Returns a Pass. Needs jaxlib 0.10.2.
    """
    if function is None:
        return lambda given: register_pass(
            given, name=name, stage=stage, platforms=platforms, takes=takes, on_error=on_error, key=key
        )
    if not callable(function):
        raise refused(TYPE, "a function", type(function).__name__, kind=WrongType)
    for given, of, what in ((stage, _STAGES, "stage"), (takes, _ARGUMENTS, "takes"), (on_error, _ON_ERROR, "on_error")):
        if given not in of:
            raise refused(NAME, repr(given), what, fix=" or ".join(f'{what}="{one}"' for one in of))
    known = _platforms()
    for one in [platforms] if isinstance(platforms, str) else platforms or ():
        if known and one not in known:
            raise refused(NAME, repr(one), "platform of this jax", fix=nearest(one, sorted(known), 'platforms="{}"'))
    name = name or getattr(function, "__name__", "pass")
    if (stage, name) in _registered:
        raise refused(NAME, repr(name), "free name of a pass", fix=f"name={name + '_2'!r}, or remove() the one before")
    made = Pass(function, name, stage, platforms, takes, on_error, key)
    jax: Any = importlib.import_module("jax")
    _registered[stage, name] = made
    try:
        _xla().register_hlo_module_transformation(_callback(made), name=name, stage=_stage_of(stage), platforms=platforms)
    except BaseException:
        del _registered[stage, name]
        raise
    _tell_cache()
    # What was compiled without the pass is compiled again.
    jax.clear_caches()
    return made


class Captured:
    """What capture() saw: the modules at each stage, in order."""

    def __init__(self) -> None:
        self.modules: "list[tuple[str, Module]]" = []

    def at(self, stage: str) -> "list[Module]":
        """Those of a stage, "pre_scheduler" or "post_scheduler"."""
        if stage not in _STAGES:
            raise refused(NAME, repr(stage), "stage", fix=nearest(stage, _STAGES))
        return [module for seen, module in self.modules if seen == stage]


@contextmanager
def capture(*, platforms: "Sequence[str] | str | None" = None) -> "Iterator[Captured]":
    """Keeps the modules that XLA compiles for JAX inside the block, before and after the scheduler; no files are written.

        with indim.jax.capture() as seen:
            jax.jit(step)(params, batch)
        print(seen.at("pre_scheduler")[-1])
    """
    seen = Captured()

    def keep(stage: str) -> PassFunction:
        return lambda module: seen.modules.append((stage, module))

    passes: "list[Pass]" = []
    try:
        for stage in _STAGES:
            name = f"indim.capture.{id(seen)}"
            passes.append(register_pass(keep(stage), name=name, stage=stage, platforms=platforms, takes="module"))
        yield seen
    finally:
        for one in passes:
            one.remove()
