# SPDX-License-Identifier: Apache-2.0
"""Changes HLO texts in one place, and asks jaxlib's parser and Indim: both refuse, or both read the same.

  hlo_text_mutants.py --indim=PROGRAM [--count=N] [--seed=N] [--keep=FOLDER] TEXT.hlo...

A mutant of a text that jaxlib reads has another number, element type, dim, layout, opcode or operand, an attribute more or less, two
lines exchanged, a token dropped, doubled or replaced, or a result shape that is left out. Printed is a mutant that jaxlib refuses and
`indim check` finds no error in, one that jaxlib reads and Indim can't, and one that the two print differently, unless ARGUED says
why that may be. (jaxlib's parser believes shapes; what Indim's verifier finds beyond it is no disagreement.) The last lines are
"compared: N ...". jaxlib crashes on some; it is asked in a process of its own, begun anew where that dies.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import forked
from jaxlib import _hlo

# Why the two may differ, by a part of what the one that refuses says.
ARGUED = {
    'only jaxlib refuses': [
        'expects integer',  # Indim reads named sizes
        'unexpected attribute "recorded"',
        'unexpected attribute "algorithm"',  # its printer writes it for custom calls and ragged dots
        'failed to infer shape for opcode: opt-barrier',  # docs/disagreements.md
        'failed to infer shape for opcode: reduce-window',
        'failed to infer shape for opcode: map',
        'expects the same number of elements in result shape',  # of a dynamic reshape of an unknown size
    ],
    'only Indim refuses': [
        'the layout names dim',  # the two verify layouts; HLO text has no other use for a wrong one
        'expected a dim of the layout',
        "after a layout's number",
        'expected an operand',  # jaxlib takes "()" with a comma in it
        ' operands; there ',  # jaxlib's verifier counts them
        'operand; there ',
        'expected a number',
        'were left out when the text was printed',  # jaxlib has zeros for them
        'but not as many devices',
        'the window has ',
        'expected one number',  # docs/disagreements.md
    ],
    'the prints differ': [
        'channel_id=-',  # jaxlib's bytes have none, its text has
        '(-0, ', ', -0)',  # jaxlib reads -0 as 0: docs/hlo_text.md
        'scaled-dot(',  # docs/disagreements.md
    ],
}

TYPES = ['pred', 's4', 's8', 's32', 's64', 'u4', 'u8', 'u32', 'u64', 'f16', 'bf16', 'f32', 'f64', 'c64', 'c128', 'f8e5m2', 'f8e4m3fn',
         'f4e2m1fn', 'token']
INSTRUCTION = re.compile(r'(\s*(?:ROOT )?%?[\w.-]+ = )((?:\([^=]*?\)|\S+) )([a-z][a-z0-9-]*)\(')
ATTRIBUTE = re.compile(r', [a-z_]+=(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^,{}\n ]+)')
# What jaxlib's parser demands a shape of.
WITH_SHAPES = {'bitcast', 'bitcast-convert', 'constant', 'convert', 'custom-call', 'fusion', 'infeed', 'iota', 'outfeed', 'parameter',
               'reduce-precision', 'reshape', 'rng', 'rng-bit-generator', 'rng-get-and-update-state', 'broadcast'}


class Mutator:
    """The changes. Each takes a line, and returns it changed; None: there is nothing to change."""

    def __init__(self, texts, seed):
        self.texts, self.choose = texts, random.Random(seed)
        self.opcodes = sorted({m.group(3) for t in texts for m in map(INSTRUCTION.match, t.split('\n')) if m})
        self.attributes = sorted({a for t in texts for a in ATTRIBUTE.findall(t)})

    def of_one(self, pattern, line, other):
        found = list(re.finditer(pattern, line))
        if not found:
            return None
        m = self.choose.choice(found)
        return line[:m.start()] + other(m) + line[m.end():]

    def number(self, line):
        return self.of_one(r'(?<![\w.%-])-?\d+', line,
                           lambda m: str(self.choose.choice([0, 1, 2, 3, -1, int(m.group()) + 1, int(m.group()) - 1])))

    def element_type(self, line):
        return self.of_one(r'\b(?:pred|[suf]\d+|bf16|c64|c128)(?=\[)', line, lambda m: self.choose.choice(TYPES))

    def dims(self, line):
        def other(m):
            dims = m.group()[1:-1].split(',') if len(m.group()) > 2 else []
            at = self.choose.randrange(len(dims) + 1)
            if at == len(dims) or self.choose.random() < 0.3:
                dims.insert(at, self.choose.choice('123'))
            elif self.choose.random() < 0.5:
                dims.pop(at)
            else:
                dims[at] = self.choose.choice(['0', '1', '2', '<=4', '?', '-1', '9223372036854775807'])
            return '[' + ','.join(dims) + ']'
        return self.of_one(r'\[[\d,<=?]*\]', line, other)

    def layout(self, line):
        def other(m):
            order = list(range(m.group(1).count(',') + 1))
            self.choose.shuffle(order)
            return '[%s]{%s}' % (m.group(1), ','.join(map(str, order)))
        return self.of_one(r'\[([\d<=?]+(?:,[\d<=?]+)+)\](?:\{[\d,]*\})?', line, other)

    def opcode(self, line):
        m = INSTRUCTION.match(line)
        return m and line[:m.start(3)] + self.choose.choice(self.opcodes) + line[m.end(3):]

    def operands(self, line):
        def other(m):
            names = m.group(1).split(', ')
            at = self.choose.randrange(len(names))
            way = self.choose.randrange(3)
            if way == 0:
                names.pop(at)
            elif way == 1:
                names.insert(at, self.choose.choice(names))
            else:
                self.choose.shuffle(names)
            return '(' + ', '.join(names) + ')'
        return self.of_one(r'(?<=[a-z])\(([^()]+)\)', line, other)

    def less(self, line):
        return self.of_one(ATTRIBUTE, line, lambda m: '')

    def more(self, line):
        return line + self.choose.choice(self.attributes)

    def token(self, line):
        tokens = re.findall(r'\w+|\s+|[^\w\s]', line)
        at = self.choose.randrange(len(tokens))
        tokens[at] = self.choose.choice(['', tokens[at] * 2, self.choose.choice(tokens)])
        return ''.join(tokens)

    def without_shape(self, line):
        m = INSTRUCTION.match(line)
        return None if m is None or m.group(3) in WITH_SHAPES else m.group(1) + line[m.end(2):]

    def mutant(self):
        lines = self.choose.choice(self.texts).split('\n')
        places = [i for i, line in enumerate(lines) if INSTRUCTION.match(line)]
        if not places:
            return None
        at = self.choose.choice(places)
        if self.choose.random() < 0.05:
            other = self.choose.choice(places)
            lines[at], lines[other] = lines[other], lines[at]
            return '\n'.join(lines)
        changes = [self.number, self.element_type, self.dims, self.layout, self.opcode, self.operands, self.less, self.more, self.token]
        changed = self.choose.choice(changes)(lines[at])
        # Layouts tell how the shapes are made that are left out.
        for i in places if self.choose.random() < 0.5 else []:
            if changed and self.choose.random() < 0.4:
                lines[i] = self.choose.choice([self.layout, self.without_shape])(lines[i]) or lines[i]
        if changed is None or changed == lines[at]:
            return None
        lines[at] = changed
        return '\n'.join(lines)


def read_by_jaxlib(texts):
    """(True, what it prints) or (False, why it refuses) for each."""
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    for text in texts:
        try:
            yield True, _hlo.hlo_module_from_text(text).to_string(options)
        except Exception as error:  # jaxlib raises several kinds
            yield False, str(error)


def ask_indim(program, texts, folder):
    """(whether it can be read, the first error or '') for each."""
    for i, text in enumerate(texts):
        with open(os.path.join(folder, f'{i:06}.hlo'), 'w', encoding='utf-8') as file:
            file.write(text)
    said = subprocess.run([program, 'check', '--json', folder], stdout=subprocess.PIPE, check=False).stdout.decode()
    found = {}
    for line in said.splitlines():
        verdict = json.loads(line)
        if 'file' in verdict:
            errors = verdict['errors']
            is_read = not errors or errors[0]['code'] != 'IND0800'
            found[int(os.path.basename(verdict['file'])[:-4])] = (is_read, errors[0]['message'] if errors else '')
    return [found[i] for i in range(len(texts))]


def told(text):
    """Without the tables of stack frames, which XLA numbers anew."""
    text = re.sub(r'^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n?', '', text, flags=re.M)
    return re.sub(r'[ ,]*stack_frame_id=\d+', '', text).replace(', metadata={}', '').split()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--indim', required=True)
    parser.add_argument('--count', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', help='a folder for the mutants on which the two differ')
    parser.add_argument('texts', nargs='+')
    arguments = parser.parse_args()
    texts = []
    for path in arguments.texts:
        with open(path, encoding='utf-8') as file:
            texts.append(file.read())
    texts = [text for text, verdict in zip(texts, forked.ask(read_by_jaxlib, texts)) if verdict and verdict[0]]
    mutator = Mutator(texts, arguments.seed)
    mutants = []
    while len(mutants) < arguments.count:
        mutant = mutator.mutant()
        if mutant is not None:
            mutants.append(mutant)
    counts = collections.Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, (text, jaxlib, indim) in enumerate(zip(mutants, forked.ask(read_by_jaxlib, mutants), ask_indim(arguments.indim, mutants, folder))):
            said = ''
            if jaxlib is None:
                what = 'jaxlib dies'
            elif not jaxlib[0] and indim == (True, ''):
                what, said = 'only jaxlib refuses', jaxlib[1]
                # A done of another channel than its start: an error without a word, and none for bytes.
                if 'was parsing' not in said and ('-done' in text):
                    what, said = 'both refuse', ''
            elif jaxlib[0] and not indim[0]:
                what, said = 'only Indim refuses', indim[1]
            elif not jaxlib[0]:
                what = 'both refuse'
            else:
                what = 'both read'
                printed = subprocess.run([arguments.indim, 'print', '--large-constants', os.path.join(folder, f'{i:06}.hlo')],
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
                if told(printed) != told(jaxlib[1]):
                    what = 'the prints differ'
                    said = next((f'{a} {b}' for a, b in zip(jaxlib[1].splitlines(), printed.splitlines()) if told(a) != told(b)), 'lines')
            if said and any(part in said for part in ARGUED.get(what, [])):
                what += ', argued'
                said = ''
            counts[what] += 1
            if said:
                wrong += 1
                print(f'{what}: {said.strip()[:600]}\n')
                if arguments.keep:
                    with open(os.path.join(arguments.keep, f'{i:06}.hlo'), 'w', encoding='utf-8') as file:
                        file.write(text)
    for what, count in sorted(counts.items()):
        print(f'{count:6} {what}')
    print(f'compared: {len(mutants)} mutants of {len(texts)} texts, {wrong} wrong')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
