# SPDX-License-Identifier: Apache-2.0
"""The declarations of the C functions, against the headers and the library."""

import ctypes
import re
import subprocess
import unittest

import support
from indim import _abi, _library


class Declarations(unittest.TestCase):
    def test_all_functions_with_all_arguments(self) -> None:
        """A second, cruder reader of the headers, so that make_abi.py can't be wrong alone."""
        found = {}
        for header in (support.ROOT / "bindings" / "c" / "include" / "indim_c").glob("*.h"):
            text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
            for declared in re.finditer(r"INDIM_API[^;]*?\b(indim_\w+)\s*\(([^;]*)\)\s*;", text, flags=re.S):
                arguments = declared.group(2).strip()
                found[declared.group(1)] = 0 if arguments == "void" else arguments.count(",") + 1
        self.assertGreater(len(found), 150)
        self.assertEqual(found, {name: len(arguments) for name, _, arguments in _abi.FUNCTIONS})

    def test_library_has_all_functions(self) -> None:
        for name, _, _ in _abi.FUNCTIONS:
            self.assertTrue(hasattr(_library.lib, name), name)

    def test_structs_have_the_compilers_sizes(self) -> None:
        structs = [value for value in vars(_abi).values() if isinstance(value, type) and issubclass(value, ctypes.Structure)]
        structs = [struct for struct in structs if struct is not ctypes.Structure]
        self.assertGreater(len(structs), 10)
        fields = [(struct, field[0]) for struct in structs for field in struct._fields_]
        lines = [f'printf("%zu ", sizeof({struct.__name__}));' for struct in structs]
        lines += [
            f'printf("%zu ", offsetof({struct.__name__}, {field}));'
            for struct, field in fields
            # Its tensor is a struct of its own in C.
            if struct is not _abi.indim_dlpack
        ]
        program = "#include <indim.h>\n#include <stdio.h>\nint main(void) {" + "".join(lines) + "return 0;}"
        include = support.ROOT / "bindings" / "c" / "include"
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cc", "-x", "c", "-", "-I", include, "-o", f"{folder}/sizes"], input=program.encode(), check=True)
            said = subprocess.run([f"{folder}/sizes"], check=True, capture_output=True).stdout.split()
        expected = [ctypes.sizeof(struct) for struct in structs]
        expected += [getattr(struct, field).offset for struct, field in fields if struct is not _abi.indim_dlpack]
        self.assertEqual([int(number) for number in said], expected)


if __name__ == "__main__":
    unittest.main()
