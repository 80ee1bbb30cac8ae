# SPDX-License-Identifier: Apache-2.0
"""Breaks modules, one thing at a time, and asks XLA's own verifier of each: what it refuses, Indim must find.

  bazel build //tests/passes:ask_breakages
  python3 tests/xla/broken_modules.py --ask=bazel-bin/tests/passes/ask_breakages MODULE.pb...
  ... --record=tests/data/breakages/verdicts.txt tests/data/jax/*.pb    after breakages.cc changed

Prints how many breakages each of the two finds, and a line for every one on which they differ. XLA's verdict is that of
HloModule::CreateFromProto, then of HloVerifier with its default options. jaxlib does the first when it reads a module; the
second it contains, but doesn't show: it is found by its name in the library's symbol table and called through
hlo_verifier.cc, compiled here with g++. So this needs Linux, nm, g++ and a jaxlib that isn't stripped; it is run by hand.
XLA aborts on some modules; it is asked in a process of its own, begun anew where that dies.
"""

import argparse
import collections
import ctypes
import os
import re
import subprocess
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')  # before jaxlib comes: no chatter

import forked
from jaxlib import _hlo

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 2000


class Verifier:
    """HloVerifier of the jaxlib that is loaded."""

    def __init__(self):
        with open('/proc/self/maps') as maps:
            lines = [line.split() for line in maps if 'libjax_common.so' in line]
        start = next(line for line in lines if int(line[2], 16) == 0)
        base, path = int(start[0].split('-')[0], 16), start[-1]
        symbols = subprocess.run(['nm', '--defined-only', path], capture_output=True, text=True, check=True).stdout

        def address(pattern):
            return ctypes.c_void_p(base + int(re.search(r'^(\w+) \w %s$' % pattern, symbols, re.M)[1], 16))

        self.constructor = address(r'_ZN3xla11HloVerifierC[12]EbbSt8function\S*b')
        self.run_impl = address(r'_ZN3xla11HloVerifier7RunImplEPNS_9HloModuleERKN\S*')
        folder = tempfile.mkdtemp()
        library = os.path.join(folder, 'hlo_verifier.so')
        subprocess.run(['g++', '-O1', '-shared', '-fPIC', '-o', library, os.path.join(HERE, 'hlo_verifier.cc')], check=True)
        self.library = ctypes.CDLL(library)
        self.text = ctypes.create_string_buffer(4000)

    def verdict(self, data):
        """'' when XLA takes it, else why not."""
        try:
            module = _hlo.HloModule.from_serialized_hlo_module_proto(data)
        except Exception as error:  # jaxlib raises several kinds
            return str(error).splitlines()[0]
        # A nanobind instance: two words of Python, then how far it is to the C++ object, and flags.
        offset = ctypes.c_int32.from_address(id(module) + 16).value
        flags = ctypes.c_uint32.from_address(id(module) + 20).value
        pointer = id(module) + offset
        if not flags & 4:  # there lies a pointer only
            pointer = ctypes.c_void_p.from_address(pointer).value
        refused = self.library.IndimRunHloVerifier(
            ctypes.c_void_p(pointer), self.constructor, self.run_impl, self.text, len(self.text))
        return (self.text.value.decode(errors='replace').splitlines() or ['refused'])[0] if refused else ''


def breakages(binary, file):
    """(fields, module) for each; see tests/passes/ask_breakages.cc."""
    with subprocess.Popen([binary, file], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            fields = line.decode().rstrip('\n').split('\t')
            yield fields[1:-1], process.stdout.read(int(fields[-1]))


def fingerprint(all_fields):
    """As Fingerprint in tests/passes/breakages.cc."""
    value = 14695981039346656037
    for fields in all_fields:
        for byte in ('\t'.join(fields[:5]) + '\n').encode():
            value = (value ^ byte) * 1099511628211 % 2**64
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ask', required=True, help='tests/passes/ask_breakages, built')
    parser.add_argument('--record', help='where to write the verdicts, for breakage_test')
    parser.add_argument('modules', nargs='+')
    arguments = parser.parse_args()
    verifier = Verifier()
    counts = collections.Counter()
    lines = []
    for file in arguments.modules:
        found = list(breakages(arguments.ask, file))
        verdicts = []
        for k in range(0, len(found), BATCH):
            asked = forked.ask(lambda batch: map(verifier.verdict, batch), [data for _, data in found[k:k + BATCH]])
            verdicts += ['aborts' if verdict is None else verdict for verdict in asked]
        letters = ''
        for (fields, _), verdict in zip(found, verdicts):
            ours = fields[5]
            letters += 'C' if verdict == 'aborts' else 'R' if verdict else 'A'
            counts[ours, 'refuses' if verdict else 'accepts'] += 1
            if (ours != 'found') == bool(verdict) and not (ours == 'missed' and not verdict):
                print('\t'.join([os.path.basename(file)] + fields + [verdict or 'XLA accepts']))
        lines.append('%s %d %s\n' % (os.path.basename(file), fingerprint(f for f, _ in found), letters))
    for (ours, theirs), count in sorted(counts.items()):
        print('Indim: %s, XLA %s: %d' % (ours, theirs, count))
    if arguments.record:
        with open(arguments.record, 'w') as out:
            out.writelines(lines)


if __name__ == '__main__':
    main()
