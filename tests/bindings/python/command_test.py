# SPDX-License-Identifier: Apache-2.0
"""python -m indim is the command, and the package lives without numpy."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import AFFINE, WRONG


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


class Command(unittest.TestCase):
    def test_checks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            right, wrong = pathlib.Path(folder, "right.hlo"), pathlib.Path(folder, "wrong.hlo")
            right.write_text(AFFINE)
            wrong.write_text(WRONG)
            said = run("-m", "indim", "check", str(right))
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertIn("ok: 4 instructions", said.stdout)
            self.assertEqual(run("-m", "indim", "check", str(wrong)).returncode, 1)
        self.assertEqual(run("-m", "indim", "chekc").returncode, 2)

    def test_without_numpy(self) -> None:
        program = """
import sys
sys.modules["numpy"] = None
import indim
b = indim.Builder("f")
x = b.parameter("f32[2]")
print(b.build(x + 1.0).eval([1, 2]))
"""
        said = run("-c", program)
        self.assertEqual(said.stdout.strip(), "Literal(f32[2], {2, 3})", said.stderr)


if __name__ == "__main__":
    unittest.main()
