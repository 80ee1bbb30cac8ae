# SPDX-License-Identifier: Apache-2.0
"""The programs of JAX's tests of compatibility, with their inputs and outputs, through Indim.

  wheel_cases.py --indim=PROGRAM [--only=PART] FOLDER

FOLDER is jax/_src/internal_test_util/export_back_compat_test_data of a jax wheel; jax itself isn't needed. Each case has a
text, the portable artifact of it, inputs and outputs. Both must be read as the same module, and where no custom call needs
code that Indim lacks, evaluate to the outputs. Its last line counts.
"""
import collections
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np

# Of the largest element, by the bytes of an element's part.
TOLERANCE = {8: 1e-10, 4: 1e-5, 2: 1e-2, 1: 1e-1}


def cases(folder):
    """(name, dictionary) of each case."""
    for path in sorted(glob.glob(os.path.join(folder, '**', '*.py'), recursive=True)):
        names = {}
        with open(path, encoding='utf-8') as file:
            exec(compile(file.read(), path, 'exec'), names)
        left = [(k, v) for k, v in names.items() if k.startswith('data')]
        while left:
            name, value = left.pop(0)
            if isinstance(value, (list, tuple)):
                value = dict(enumerate(value))
            if not isinstance(value, dict):
                continue
            if 'mlir_module_serialized' in value:
                yield f'{os.path.basename(path)[:-3]}.{name}', value
            else:
                left = [(f'{name}_{k}', v) for k, v in value.items()] + left


def indim(options, *arguments):
    ran = subprocess.run([options['indim'], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return ran.returncode, ran.stdout, ran.stderr


def differs(ours, theirs):
    """How an array differs from the expected one; '': not beyond rounding."""
    if ours.shape != theirs.shape:
        return f'{ours.shape} for {theirs.shape}'
    if theirs.dtype.kind not in 'fcV' or theirs.size == 0:
        return '' if np.array_equal(ours, theirs) else f'{np.sum(ours != theirs)} elements differ'
    wide = np.complex128 if theirs.dtype.kind == 'c' else np.float64
    part = theirs.dtype.itemsize // (2 if theirs.dtype.kind == 'c' else 1)
    a, b = ours.astype(wide), theirs.astype(wide)
    worst = np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30)
    return '' if worst <= TOLERANCE[part] else f'by {worst:.2g} of the largest element'


def evaluate(options, path, case, folder):
    """(what came of it, details)"""
    inputs = []
    for i, value in enumerate(case['inputs']):
        inputs.append(os.path.join(folder, f'in{i}.npy'))
        np.save(inputs[-1], np.asarray(value))
    out = os.path.join(folder, 'out.npy')
    devices = case.get('nr_devices', 1)
    code, _, said = indim(options, 'eval', path, *inputs, '-o', out, f'--devices={devices}')
    if code:
        return ('needs code' if 'IND0850' in said else 'fails'), said
    outputs = case['expected_outputs']
    files = sorted(glob.glob(os.path.join(folder, 'out*.npy')), key=lambda f: (len(f), f))
    if len(files) != len(outputs):
        return 'differs', f'{len(files)} results for {len(outputs)}'
    for file, output in zip(files, outputs):
        output = np.asarray(output)
        value = np.load(file)
        if value.dtype.kind == 'V':
            value = value.view(output.dtype)
        found = differs(value, output)
        if found:
            return 'differs', found
    return 'equal', ''


def main(arguments):
    options = dict(a[2:].split('=', 1) for a in arguments if a.startswith('--'))
    folder = next(a for a in arguments if not a.startswith('--'))
    counts = collections.Counter()
    for name, case in cases(folder):
        if options.get('only', '') not in name:
            continue
        counts['cases'] += 1
        with tempfile.TemporaryDirectory() as work:
            text, artifact = os.path.join(work, 'case.mlir'), os.path.join(work, 'case.mlirbc')
            with open(text, 'w', encoding='utf-8') as file:
                file.write(case['mlir_module_text'])
            with open(artifact, 'wb') as file:
                file.write(case['mlir_module_serialized'])
            code, said, errors = indim(options, 'diff', text, artifact)
            counts['same module' if code == 0 else 'another module'] += 1
            if code:
                print(f'{name}: text and artifact: {said[:1500]}{errors[:1500]}')
            what, details = evaluate(options, text, case, work)
            counts[what] += 1
            if what != 'equal':
                print(f'{name}: {what}: {details[:1500]}')
    print(', '.join(f'{count} {what}' for what, count in counts.items()))
    return 1 if counts['differs'] or counts['fails'] or counts['another module'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
