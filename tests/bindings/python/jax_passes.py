# SPDX-License-Identifier: Apache-2.0
"""Passes in the pipeline of XLA that JAX runs (indim.jax.register_pass): what XLA gets, what the caller gets, and the passes of examples/passes.

    jax_passes.py [--edits=500] [--compilations=1000]
"""

import argparse
import gc
import os
import pathlib
import random
import sys
import threading
import unittest
import warnings
import weakref
from typing import Any, Callable

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import indim
import indim.jax
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "passes"
sys.path.insert(0, str(EXAMPLES))

from accumulate_in_f32 import accumulate_in_f32
from barriers import barriers
from refuse_all_gathers import refuse_all_gathers

STAGES = ("pre_scheduler", "post_scheduler")
OPTIONS = argparse.Namespace(edits=60, compilations=80)


def model(x: Any, w: Any) -> Any:
    y = jnp.tanh(x @ w) @ w
    return jax.lax.scan(lambda c, row: (jnp.sin(c + row), c.sum()), y[0], y)[1].sum()


X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)


def run(f: "Callable[..., Any]" = model, *arguments: Any) -> Any:
    """Compiled anew: register_pass and remove forget what was compiled."""
    return np.asarray(jax.jit(f)(*(arguments or (X, X))))


def twice(editor: indim.Editor) -> None:
    root = editor.root()
    if str(root.shape) == "f32[]":
        at = editor.after(root)
        editor.set_root(editor.insert(at, at.use(root) * 2))


class Registering(unittest.TestCase):
    def test_identity_hands_xla_its_own_module(self) -> None:
        want = run()
        for stage in STAGES:
            with indim.jax.register_pass(lambda editor: None, name="nothing", stage=stage) as nothing:
                self.assertEqual(run().tobytes(), want.tobytes())
            self.assertGreaterEqual(nothing.calls, 1)
            self.assertEqual((nothing.changed, nothing.failed), (0, 0))

    def test_a_module_that_is_read_keeps_its_bytes(self) -> None:
        seen = []
        with indim.jax.register_pass(lambda module: seen.append(module) or module, name="same", takes="module") as same:
            run()
        self.assertEqual(same.changed, 0)
        self.assertEqual(indim.read(seen[-1].to_bytes()).to_bytes(), seen[-1].to_bytes())

    def test_identity_of_functions_over_eight_devices(self) -> None:
        mesh = Mesh(np.array(jax.devices()), ("d",))
        self.assertEqual(mesh.size, 8)
        rows, columns, whole = (NamedSharding(mesh, P(*axes)) for axes in (("d", None), (None, "d"), ()))

        def loss(w: Any, x: Any) -> Any:
            return (jnp.tanh(jax.lax.with_sharding_constraint(x, rows) @ w) ** 2).mean()

        cases = [
            (lambda x, w: jnp.tanh(x @ w), (columns, rows)),  # an all-reduce
            (lambda x, w: x @ jax.lax.with_sharding_constraint(w, whole), (rows, rows)),  # an all-gather
            (jax.grad(loss), (whole, rows)),
            (lambda x, w: jax.lax.scan(lambda c, row: (jnp.sin(c @ w + row), c.sum()), x[0], x), (whole, columns)),
        ]

        def renamed(editor: indim.Editor) -> None:
            editor.set_name(editor.root(), "renamed")

        passes = [
            (lambda editor: None, "editor", False),
            (lambda module: indim.read(module.to_bytes()), "module", False),
            (renamed, "editor", True),
        ]
        for f, shardings in cases:
            arguments = [jax.device_put(array, sharding) for array, sharding in zip((X, X[::-1] * 0.3), shardings)]

            def results(f: Any = f, arguments: Any = arguments) -> "list[bytes]":
                return [np.asarray(y).tobytes() for y in jax.tree_util.tree_leaves(jax.jit(f)(*arguments))]

            want = results()
            for stage in STAGES:
                for function, takes, changes in passes:
                    with indim.jax.register_pass(function, name="same", takes=takes, stage=stage) as same:
                        self.assertEqual(results(), want)
                    self.assertGreaterEqual(same.calls, 1)
                    self.assertEqual(same.changed > 0, changes)

    def test_edits_are_compiled_until_the_pass_is_removed(self) -> None:
        want = run()
        for stage in STAGES:
            with indim.jax.register_pass(twice, stage=stage) as doubling:
                self.assertEqual(run(), 2 * want)
                self.assertGreaterEqual(doubling.changed, 1)
                self.assertGreater(doubling.seconds, 0)
            self.assertEqual(run(), want)
            self.assertFalse(doubling.remove())

    def test_decorator(self) -> None:
        @indim.jax.register_pass(name="decorated", takes="module")
        def count(module: indim.Module) -> None:
            lengths.append(len(module))

        lengths: "list[int]" = []
        try:
            run()
        finally:
            self.assertTrue(count.remove())
        self.assertGreater(max(lengths), 5)

    def test_wrong_calls(self) -> None:
        for options, words in (
            ({"stage": "pre"}, 'stage="pre_scheduler"'),
            ({"takes": "text"}, 'takes="editor"'),
            ({"on_error": "abort"}, 'on_error="raise"'),
            ({"platforms": "cpus"}, 'platforms="cpu"'),
            ({"platforms": ["cpu", "toaster"]}, "'toaster'.*platform"),
        ):
            with self.assertRaisesRegex(indim.errors.InvalidArgument, words):
                indim.jax.register_pass(twice, **options)
        with self.assertRaisesRegex(indim.errors.WrongType, "a function"):
            indim.jax.register_pass(5)
        with indim.jax.register_pass(twice):
            with self.assertRaisesRegex(indim.errors.InvalidArgument, "'twice'"):
                indim.jax.register_pass(twice)

    def test_compilation_cache_knows_passes(self) -> None:
        from jax._src import cache_key

        with indim.jax.register_pass(twice):
            first = cache_key.custom_hook()
            with indim.jax.register_pass(barriers):
                self.assertNotEqual(cache_key.custom_hook(), first)
            self.assertEqual(cache_key.custom_hook(), first)
        self.assertNotEqual(cache_key.custom_hook(), first)

    def test_names_are_free_again(self) -> None:
        first = indim.jax.register_pass(twice)
        first.remove()
        second = indim.jax.register_pass(twice)
        self.assertFalse(first.remove())
        self.assertTrue(second.remove())

    def test_a_pass_that_is_out_is_forgotten(self) -> None:
        with indim.jax.capture() as seen:
            run()
        kept = weakref.ref(seen)
        del seen
        gc.collect()
        self.assertIsNone(kept())

    def test_capture(self) -> None:
        with indim.jax.capture() as seen:
            run()
        last = seen.at("post_scheduler")[-1]
        self.assertIn("is_scheduled=true", last.to_text())
        self.assertNotIn("is_scheduled", seen.at("pre_scheduler")[-1].to_text())
        self.assertTrue(last.check().ok)
        with self.assertRaisesRegex(indim.errors.InvalidArgument, "pre_scheduler"):
            seen.at("pre")

    def test_threads(self) -> None:
        wrong: "list[tuple[int, float]]" = []

        def work(first: int) -> None:
            for number in range(first, OPTIONS.compilations, 8):
                got = float(run(lambda x: jnp.sum(x * np.float32(number)), np.ones(8, np.float32)))
                if got != 16 * number:
                    wrong.append((number, got))

        with indim.jax.register_pass(twice) as doubling, indim.jax.register_pass(lambda m: None, name="post", stage="post_scheduler"):
            threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(doubling.changed, OPTIONS.compilations)


class Failing(unittest.TestCase):
    def fails(self, function: Any, kind: "type[BaseException]", *words: str, takes: str = "editor") -> None:
        """The error itself in a `with` block, its text in jaxlib's error outside one, and a warning where one is asked for."""
        want = run()
        for _ in range(2):
            with self.assertRaises(kind) as raised:
                with indim.jax.register_pass(function, name="wrong", takes=takes) as tried:
                    run()
            for word in words:
                self.assertIn(word, str(raised.exception))
            self.assertIs(tried.error, raised.exception)
        wrong = indim.jax.register_pass(function, name="wrong", takes=takes)
        try:
            with self.assertRaises(jax.errors.JaxRuntimeError) as told:
                run()
        finally:
            wrong.remove()
        self.assertIn(words[0], str(told.exception))
        with indim.jax.register_pass(function, name="wrong", takes=takes, on_error="warn"):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertEqual(run(), want)
        self.assertTrue(any(words[0] in str(w.message) and w.category is indim.jax.PassWarning for w in caught))

    def test_exceptions(self) -> None:
        def wrong(editor: indim.Editor) -> None:
            raise KeyError("no such layer")

        self.fails(wrong, KeyError, "no such layer")

    def test_what_is_no_module(self) -> None:
        self.fails(lambda module: 5, indim.errors.WrongType, "None or an indim.Module", "jax_passes.py", takes="module")

    def test_another_module(self) -> None:
        def wrong(module: indim.Module) -> indim.Module:
            return indim.parse("HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n")

        self.fails(wrong, indim.errors.InvalidArgument, "'wrong'", "f32[3]", "jax_passes.py", takes="module")

    def test_a_root_of_another_shape(self) -> None:
        def wrong(editor: indim.Editor) -> None:
            dot = next(i for i in editor.module.graph if i.opcode == "dot")
            editor.set_shape(dot, "f32[7]")

        self.fails(wrong, indim.errors.InvalidArgument, "can't become f32[7]", "IND1008", "jax_passes.py")

    def test_an_instruction_that_was_recorded_has_its_line(self) -> None:
        def wrong(editor: indim.Editor) -> None:
            body = next(i for i in editor.module.graph if i.opcode == "fusion").callees[0]
            at = editor.after(body.parameters[0])
            editor.insert(at, at.use(body.parameters[0]) * 2)  # nobody uses it

        line = wrong.__code__.co_firstlineno + 3
        with self.assertRaisesRegex(indim.errors.InvalidArgument, f"^{__file__}:{line}: (?s:.*)IND0744"):
            with indim.jax.register_pass(wrong):
                run()

    def test_the_border_stays(self) -> None:
        def parameter(editor: indim.Editor) -> None:
            editor.add_parameter("f32[2]")

        def result(editor: indim.Editor) -> None:
            at = editor.after(editor.root())
            editor.set_root(editor.insert(at, at.broadcast_in_dim(at.use(editor.root()), "f32[3]", ())))

        self.fails(parameter, indim.errors.InvalidArgument, "the entry was")
        self.fails(result, indim.errors.InvalidArgument, "the entry was")

    def test_the_schedule_stays(self) -> None:
        with self.assertRaisesRegex(indim.errors.InvalidArgument, "lost its schedule"):
            with indim.jax.register_pass(
                lambda m: indim.parse(m.to_text().replace("is_scheduled=true, ", "")), name="text", stage="post_scheduler", takes="module"
            ):
                run()

    def test_an_old_error_does_not_take_the_place_of_another(self) -> None:
        def wrong(editor: indim.Editor) -> None:
            raise ValueError("an old one")

        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "RESOURCE_EXHAUSTED"):
            with indim.jax.register_pass(wrong, on_error="warn"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    run()
                raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: no memory")

    def test_warnings_name_the_line(self) -> None:
        def wrong(editor: indim.Editor) -> None:
            raise ValueError("here")

        with indim.jax.register_pass(wrong, on_error="warn"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        told = next(w for w in caught if w.category is indim.jax.PassWarning)
        self.assertEqual((told.filename, told.lineno), (__file__, wrong.__code__.co_firstlineno + 1))

    def test_random_illegal_edits(self) -> None:
        rng = random.Random(53)
        for number in range(OPTIONS.edits):
            kind = WRONG_EDITS[number % len(WRONG_EDITS)]
            stage = rng.choice(STAGES)
            with self.subTest(f"{number}: {kind.__name__} {stage}"):
                with self.assertRaises(indim.errors.Error):
                    with indim.jax.register_pass(lambda editor: kind(editor, rng), name="illegal", stage=stage):
                        run()


def any_of(editor: indim.Editor, rng: random.Random, keep: "Callable[[Any], Any]") -> Any:
    return rng.choice([i for i in editor.module.graph if keep(i)])


def operand_of_another_shape(editor: indim.Editor, rng: random.Random) -> None:
    user = any_of(editor, rng, lambda i: i.opcode in ("dot", "tanh", "sine", "add") and i.operands)
    at = editor.before(user)
    editor.set_operand(user, 0, editor.insert(at, at.constant(np.zeros((3, 5, 2), np.float32))))


def operand_of_another_computation(editor: indim.Editor, rng: random.Random) -> None:
    user = any_of(editor, rng, lambda i: i.operands)
    mine = next(c for c in editor.module.graph.computations if user in list(c))
    other = rng.choice([c for c in editor.module.graph.computations if c.name != mine.name])
    editor.set_operand(user, 0, rng.choice(list(other)))


def erased_though_used(editor: indim.Editor, rng: random.Random) -> None:
    editor.erase(rng.choice([i for i in editor.module.graph if editor.ref(i).users]))


def cycle(editor: indim.Editor, rng: random.Random) -> None:
    user = any_of(editor, rng, lambda i: i.operands and i.shape == i.operands[0].shape)
    editor.set_operand(user, 0, user)


def root_of_another_shape(editor: indim.Editor, rng: random.Random) -> None:
    called = [c for c in editor.module.graph.computations if c.name != editor.module.graph.entry.name]
    computation = rng.choice([c for c in called if any(i.shape != c.root.shape for i in c)])
    editor.set_root(rng.choice([i for i in computation if i.shape != computation.root.shape]), computation)
    editor.run_pass("dead-code")


def shape_of_another_size(editor: indim.Editor, rng: random.Random) -> None:
    editor.set_shape(any_of(editor, rng, lambda i: i.opcode in ("dot", "tanh", "sine")), "f32[3,11]")


def callee_of_another_signature(editor: indim.Editor, rng: random.Random) -> None:
    call = any_of(editor, rng, lambda i: i.opcode == "fusion")
    others = [c for c in editor.module.graph.computations if len(c.parameters) != len(call.operands)]
    editor.set_callee(call, 0, rng.choice([c for c in others if c.name != editor.module.graph.entry.name]))


def index_out_of_range(editor: indim.Editor, rng: random.Random) -> None:
    user = any_of(editor, rng, lambda i: i.operands)
    editor.set_operand(user, len(user.operands) + rng.randrange(3), user.operands[0])


WRONG_EDITS = [
    operand_of_another_shape,
    operand_of_another_computation,
    erased_though_used,
    cycle,
    root_of_another_shape,
    shape_of_another_size,
    callee_of_another_signature,
    index_out_of_range,
]


class Examples(unittest.TestCase):
    def test_barriers(self) -> None:
        want = run()
        for stage in STAGES:
            with indim.jax.register_pass(barriers, stage=stage) as guarding, indim.jax.capture() as seen:
                self.assertEqual(run(), want)
            self.assertGreaterEqual(guarding.changed, 1)
            self.assertEqual(seen.modules[-1][1].to_text().count(" opt-barrier("), 4)

    def test_accumulate_in_f32(self) -> None:
        x = (np.arange(4096) % 7 / 10 + 0.1).astype(jnp.bfloat16)

        def total(x: Any) -> Any:
            return jax.lax.reduce(x, jnp.bfloat16(0), jax.lax.add, (0,))

        before = float(run(total, x))
        with indim.jax.register_pass(accumulate_in_f32):
            after = float(run(total, x))
        exact = float(np.sum(x.astype(np.float64)))
        self.assertLess(abs(after - exact), abs(before - exact))
        self.assertEqual(after, float(jnp.bfloat16(exact)))

    def test_refuse_all_gathers(self) -> None:
        mesh = Mesh(np.array(jax.devices()), ("d",))
        x = jax.device_put(jnp.ones((4096, 128)), NamedSharding(mesh, P("d", None)))

        def gathered(x: Any) -> Any:
            return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P())) + 1

        with self.assertRaises(ValueError) as raised:
            with indim.jax.register_pass(refuse_all_gathers):
                run(gathered, x)
        self.assertRegex(str(raised.exception), r"all-gather\S* gathers 2097152 bytes, more than 1048576")
        with indim.jax.register_pass(refuse_all_gathers):
            run(lambda x: x * 2, x)

    def test_sizes(self) -> None:
        for path in EXAMPLES.glob("*.py"):
            code = path.read_text(encoding="utf-8").splitlines()
            self.assertLessEqual(len(code), 30, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=OPTIONS.edits)
    parser.add_argument("--compilations", type=int, default=OPTIONS.compilations)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
