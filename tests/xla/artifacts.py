# SPDX-License-Identifier: Apache-2.0
"""Portable artifacts of ours against those of the StableHLO in jaxlib.

  artifacts.py --rewrite=PROGRAM [--every=N] FILE...

A FILE is an artifact (.bc), or a text (.mlir) whose functions are asked one by one. jaxlib reads each and writes it for
each of the releases; so does PROGRAM (tests/stablehlo/bytecode/rewrite_artifact.cc). Both write or both refuse, and
jaxlib reads the same text of both. Its last line says how many were compared.
"""
import os
import subprocess
import sys
import tempfile

from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from mlir_context import context

RELEASES = ['1.17.0', '1.10.0', '1.0.0']


def read(data, locations):
    """The text of an artifact."""
    c = context()
    with c, ir.Location.unknown(c):
        module = stablehlo.deserialize_portable_artifact(c, data)
        return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=locations,
                                        large_elements_limit=None)


def write(data, release):
    """jaxlib's artifact of an artifact or text; None: it refuses."""
    c = context()
    with c, ir.Location.unknown(c):
        if isinstance(data, bytes):
            module = stablehlo.deserialize_portable_artifact(c, data)
        else:
            module = ir.Module.parse(data)
        try:
            if 'sdy.' in str(module):
                return _jax.mlir.serialize_portable_artifact(module, release, True)
            return stablehlo.serialize_portable_artifact(module, release)
        except Exception:
            return None


def functions(text):
    """The functions of a text, and what stands between them."""
    part = []
    for line in text.splitlines(keepends=True):
        part.append(line)
        if line.startswith('}'):
            yield ''.join(part)
            part = []


def parses(text):
    try:
        c = context()
        with c, ir.Location.unknown(c):
            ir.Module.parse(text)
        return True
    except ir.MLIRError:
        return False


def cases(paths):
    for path in paths:
        name = os.path.basename(path)
        if path.endswith('.bc'):
            data = open(path, 'rb').read()
            try:
                read(data, True)
            except Exception:
                continue  # newer than jaxlib, or of a dialect that it lacks
            yield name, data
        elif name[0].isdigit():  # a release's text
            for i, function in enumerate(functions(open(path).read())):
                if parses(function):
                    yield f'{name}.{i}', function
        else:
            yield name, open(path).read()


def compare(name, data, release, folder, ours):
    """What differs; '' if nothing."""
    theirs = write(data, release)
    artifact = os.path.join(folder, name + '.bc')
    if not os.path.exists(artifact):
        error = open(os.path.join(folder, name + '.error')).read()
        if theirs is None:
            return ''
        return f'only we refuse it: {error}'
    if theirs is None:
        return '' if 'stablehlo.tan' in str(data) else 'only jaxlib refuses it'
    ours.append(name)
    # MLIR gives the operations of a text their places in it as locations.
    locations = isinstance(data, bytes)
    try:
        mine = read(open(artifact, 'rb').read(), locations)
    except Exception as e:
        return f'jaxlib can\'t read ours: {e}'
    theirs = read(theirs, locations)
    return '' if mine == theirs else f'ours says\n{mine}\ninstead of\n{theirs}'


def main(arguments):
    options = dict(a[2:].split('=', 1) for a in arguments if a.startswith('--'))
    paths = [a for a in arguments if not a.startswith('--')]
    everything = list(cases(paths))[::int(options.get('every', 1))]
    differ = 0
    ours = []
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, data in everything:
            files.append(os.path.join(folder, name))
            with open(files[-1], 'wb') as f:
                f.write(data if isinstance(data, bytes) else data.encode())
        for release in RELEASES:
            out = os.path.join(folder, release)
            os.mkdir(out)
            subprocess.run([options['rewrite'], release, out] + files, check=True)
            for name, data in everything:
                difference = compare(name, data, release, out, ours)
                if difference:
                    differ += 1
                    print(f'{name} for {release}: {difference[:2000]}')
    print(f'compared: {len(ours)} artifacts')
    return differ != 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
