"""Random questions about shapes, asked of XLA and of Indim.

  python3 tests/xla/random_inference.py --indim=bazel-bin/tools/indim --cases=20000 --seed=1

For each case random operands and attributes of one op are drawn. XLA answers through its HLO text parser, which infers a
result shape that is left out; Indim answers through `indim query`. Every disagreement is printed; the exit status is 1 when
there is one. XLA aborts on some input, so each batch is asked in a process of its own and halved where that dies.
Needs jaxlib. Only legal HLO can be asked: no implicit broadcasting.
"""

import argparse
import json
import multiprocessing
import random
import re
import subprocess
import sys

TYPES = ['pred', 's8', 's32', 'u16', 'u32', 'f16', 'bf16', 'f32', 'f64', 'c64', 's4', 'u64', 'f8e4m3fn']
UNARY = ('abs acos acosh asin asinh atanh cbrt ceil cosine cosh count-leading-zeros erf exponential '
         'exponential-minus-one floor imag is-finite log log-plus-one logistic negate not popcnt real round-nearest-afz '
         'round-nearest-even rsqrt sign sine sinh sqrt tan tanh copy').split()
BINARY = ('add maximum minimum multiply subtract divide remainder power atan2 shift-left shift-right-arithmetic '
          'shift-right-logical and or xor complex').split()


def dims(r, low=0, high=4):
    return [r.choice([1, 2, 3, 4, 5, 6, 8, '?', '<=4', '<=6', 0]) if r.random() < .25 else r.choice([1, 2, 3, 4, 6, 8])
            for _ in range(r.randint(low, high))]


def shape(type_, sizes):
    return '%s[%s]' % (type_, ','.join(map(str, sizes)))


def near(r, sizes):
    """The same dims, or nearly."""
    sizes = list(sizes)
    if sizes and r.random() < .2:
        sizes[r.randrange(len(sizes))] = r.choice([1, 2, 3, 5, '?', '<=4'])
    elif r.random() < .05:
        sizes = sizes[1:]
    return sizes


def type_near(r, type_):
    return r.choice(TYPES) if r.random() < .1 else type_


def some(r, rank, count=None):
    """Distinct dims, now and then one that isn't there."""
    chosen = r.sample(range(rank), count if count is not None else r.randint(0, rank))
    if chosen and r.random() < .1:
        chosen[0] = r.choice([-1, rank, chosen[-1]])
    return chosen


def braces(numbers):
    return '{%s}' % ','.join(map(str, numbers))


def int_or(r, size):
    return size if isinstance(size, int) else int(str(size).strip('<=') if size != '?' else r.choice([2, 4]))


def draw(r):
    """op, operands, attributes as `indim query` takes them, attributes as HLO text has them."""
    type_ = r.choice(TYPES)
    d = dims(r)
    kind = r.choice(['unary', 'binary', 'compare', 'select', 'clamp', 'transpose', 'reverse', 'concatenate', 'pad',
                     'reduce', 'dot', 'get-dimension-size', 'topk', 'cholesky', 'triangular-solve', 'batch', 'gather',
                     'reduce-window', 'convolution', 'map', 'set-dimension-size'])
    x = shape(type_, d)
    if kind == 'unary':
        return r.choice(UNARY), [x], {}, ''
    if kind == 'binary':
        return r.choice(BINARY), [x, shape(type_near(r, type_), near(r, d) if r.random() < .3 else d)], {}, ''
    if kind == 'compare':
        direction = r.choice(['EQ', 'NE', 'GE', 'GT', 'LE', 'LT'])
        return kind, [x, shape(type_near(r, type_), d)], {'direction': direction}, ', direction=' + direction
    if kind == 'select':
        return kind, [shape(r.choice(['pred'] * 9 + ['s8']), d), x, shape(type_near(r, type_), d)], {}, ''
    if kind == 'clamp':
        return kind, [x, x, shape(type_near(r, type_), d)], {}, ''
    if kind in ('transpose', 'reverse'):
        chosen = some(r, len(d), len(d) if kind == 'transpose' and r.random() < .9 else None)
        return kind, [x], {'dimensions': chosen}, ', dimensions=' + braces(chosen)
    if kind == 'concatenate':
        d = d or [2]
        along = r.randrange(len(d)) if r.random() < .95 else len(d)
        operands = []
        for _ in range(r.randint(1, 3)):
            e = near(r, d) if r.random() < .2 else list(d)
            if along < len(e):
                e[along] = r.choice([1, 2, 5, '<=3', '?'])
            operands.append(shape(type_near(r, type_), e))
        return kind, operands, {'dimensions': [along]}, ', dimensions={%d}' % along
    if kind == 'pad':
        text = 'x'.join('%d_%d' % (r.randint(-2, 3), r.randint(-2, 3)) + ('_%d' % r.randint(0, 2) if r.random() < .5 else '')
                        for _ in d)
        if not d:
            return 'abs', [x], {}, ''
        return kind, [x, shape(type_near(r, type_), [])], {'padding': text}, ', padding=' + text
    if kind == 'reduce':
        chosen = sorted(some(r, len(d)))
        s = shape(type_, [])
        t = {'parameters': [s, s], 'result': s}
        return (kind, [x, shape(type_near(r, type_), [])], {'dimensions': chosen, 'to_apply': t},
                ', dimensions=%s, to_apply=f' % braces(chosen))
    if kind == 'dot':
        m, k, n, b = (r.choice([1, 2, 3, 4, '?', '<=4', 6]) for _ in range(4))
        batch = r.random() < .5
        lhs = ([b] if batch else []) + [m, k]
        rhs = ([b if r.random() < .9 else 3] if batch else []) + [k if r.random() < .9 else 5, n]
        o = 1 if batch else 0
        a = {'lhs_contracting_dims': [o + 1], 'rhs_contracting_dims': [o]}
        if batch:
            a.update({'lhs_batch_dims': [0], 'rhs_batch_dims': [0]})
        return (kind, [shape(type_, lhs), shape(type_near(r, type_), rhs)], a,
                ''.join(', %s=%s' % (key, braces(value)) for key, value in a.items()))
    if kind == 'get-dimension-size':
        along = r.randint(-1, len(d))
        return kind, [x], {'dimensions': [along]}, ', dimensions={%d}' % along
    if kind == 'set-dimension-size':
        along = r.randint(-1, len(d))
        return (kind, [x, r.choice(['s32[]'] * 5 + ['s64[]', 's32[1]'])], {'dimensions': [along]},
                ', dimensions={%d}' % along)
    if kind == 'topk':
        d = d or [4]
        k = r.randint(0, 6)
        return kind, [shape(type_, d)], {'k': k}, ', k=%d, largest=true' % k
    if kind == 'cholesky':
        d = d + [3, r.choice([3, 3, 3, 2, '?'])] if r.random() < .9 else d
        return kind, [shape(type_, d)], {'lower': True}, ', lower=true'
    if kind == 'triangular-solve':
        a = dims(r, 0, 2)
        left = r.random() < .5
        k = r.choice([2, 3, '?'])
        b = [k if r.random() < .9 else 5, 4]
        if not left:
            b.reverse()
        flags = {'left_side': left, 'lower': True, 'unit_diagonal': False, 'transpose_a': 'NO_TRANSPOSE'}
        return (kind, [shape(type_, a + [k, k]), shape(type_near(r, type_), near(r, a) + b)], flags,
                ', left_side=%s, lower=true, transpose_a=NO_TRANSPOSE' % str(left).lower())
    if kind == 'batch':
        d = d or [3]
        feature = r.randrange(len(d))
        v = shape(type_near(r, type_), [d[feature]] if r.random() < .9 else [7])
        v2 = shape(type_, [d[feature]])
        name, operands = r.choice([('batch-norm-training', [x, v, v2]), ('batch-norm-inference', [x, v, v2, v2, v2]),
                                   ('batch-norm-grad', [x, v, v2, v2, x])])
        operands[0] = shape(type_, d)
        if name.endswith('grad'):
            operands[4] = shape(type_, near(r, d))
        return (name, operands, {'epsilon': 0.001, 'feature_index': feature},
                ', epsilon=0.001, feature_index=%d' % feature)
    if kind == 'gather':
        d = d or [4]
        n = r.randint(1, len(d))
        mapped = r.sample(range(len(d)), n)
        sizes = [1 if i in mapped else int_or(r, s) for i, s in enumerate(d)]
        rest = [i for i in range(len(d)) if i not in mapped]
        if r.random() < .1:
            sizes[0] = r.choice([0, 9])
        offset = list(range(1, 1 + len(rest)))
        a = {'offset_dims': offset, 'collapsed_slice_dims': sorted(mapped), 'start_index_map': mapped,
             'index_vector_dim': 1, 'slice_sizes': sizes}
        return (kind, [shape(type_, d), shape(r.choice(['s32', 'u16', 'f32'] if r.random() < .2 else ['s32']),
                                              [r.choice([5, '?', '<=4']), n])], a,
                ''.join(', %s=%s' % (key, braces(v) if isinstance(v, list) else v) for key, v in a.items()))
    if kind == 'reduce-window':
        d = d or [4]
        parts = ['x'.join(str(r.randint(1, 3)) for _ in d), 'x'.join(str(r.randint(1, 2)) for _ in d),
                 'x'.join('%d_%d' % (r.randint(0, 2), r.randint(0, 2)) for _ in d),
                 'x'.join(str(r.randint(1, 2)) for _ in d), 'x'.join(str(r.randint(1, 2)) for _ in d)]
        window = 'size=%s stride=%s pad=%s lhs_dilate=%s rhs_dilate=%s' % tuple(parts)
        s = shape(type_, [])
        return (kind, [shape(type_, d), shape(type_near(r, type_), [])],
                {'window': window, 'to_apply': {'parameters': [s, s], 'result': s}},
                ', window={%s}, to_apply=f' % window)
    if kind == 'convolution':
        c, g = r.choice([(4, 2), (6, 3), (3, 1), (5, 2)])
        i, k = r.randint(3, 8), r.randint(1, 3)
        window = 'size=%d stride=%d pad=%d_%d rhs_dilate=%d' % (k, r.randint(1, 2), r.randint(0, 2), r.randint(0, 2),
                                                               r.randint(1, 2))
        a = {'window': window, 'dim_labels': 'bf0_oi0->bf0', 'feature_group_count': g}
        return (kind, [shape(type_, [r.choice([2, '?', '<=4']), c, r.choice([i, '?', '<=6'])]),
                       shape(type_near(r, type_), [g * 2, c // g, k])], a,
                ', window={%s}, dim_labels=bf0_oi0->bf0, feature_group_count=%d' % (window, g))
    s = shape(type_, [])
    other = near(r, d)
    # XlaBuilder, whose answers are Indim's, broadcasts a scalar to static dims only; the parser takes any.
    if not other and not all(isinstance(size, int) for size in d):
        other = d
    chosen = list(range(len(d))) if r.random() < .9 else some(r, len(d))
    return ('map', [x, shape(type_, other)], {'dimensions': chosen, 'to_apply': {'parameters': [s, s], 'result': s}},
            ', dimensions=%s, to_apply=f' % braces(chosen))


def hlo(op, operands, attributes, text):
    lines = ['HloModule m', '']
    if 'to_apply' in attributes:
        a, b = attributes['to_apply']['parameters']
        lines += ['f {', '  a = %s parameter(0)' % a, '  ROOT b = %s parameter(1)' % b, '}', '']
    lines.append('ENTRY e {')
    lines += ['  p%d = %s parameter(%d)' % (i, o, i) for i, o in enumerate(operands)]
    lines += ['  ROOT r = %s(%s)%s' % (op, ', '.join('p%d' % i for i in range(len(operands))), text), '}']
    return '\n'.join(lines)


def answer_of(xla, text):
    try:
        module = xla.hlo_module_from_text(text)
    except Exception as error:  # every refusal of XLA
        return 'refused: ' + str(error).split('\n')[0][:160]
    root = re.search(r'ROOT %?\S+ = (.*?) [a-z][-a-z0-9]*\(', module.to_string().split('ENTRY')[1])
    return re.sub(r'\{[^}]*\}', '', root.group(1)).replace(' ', '') if root else '?'


def ask_in_child(texts, pipe):
    sys.stderr.flush()
    from jaxlib import _hlo as xla
    pipe.send([answer_of(xla, text) for text in texts])


def ask(texts):
    ours, theirs = multiprocessing.Pipe(False)
    child = multiprocessing.get_context('fork').Process(target=ask_in_child, args=(texts, theirs))
    child.start()
    theirs.close()
    try:
        answers = ours.recv()
    except EOFError:
        answers = None
    child.join()
    if answers is not None:
        return answers
    if len(texts) == 1:
        return ['aborted']
    half = len(texts) // 2
    return ask(texts[:half]) + ask(texts[half:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--indim', required=True)
    parser.add_argument('--cases', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    r = random.Random(args.seed)
    cases = [draw(r) for _ in range(args.cases)]
    texts = [hlo(*case) for case in cases]
    theirs = []
    for start in range(0, len(texts), 1000):
        theirs += ask(texts[start:start + 1000])
    lines = ''.join(json.dumps({'op': c[0], 'operands': c[1], 'attributes': c[2]}) + '\n' for c in cases)
    ours = subprocess.run([args.indim, 'query'], input=lines, capture_output=True, text=True).stdout.splitlines()
    wrong = 0
    counts = {'agreed': 0, 'agreed to refuse': 0, 'XLA aborts': 0}
    for case, text, xla, line in zip(cases, texts, theirs, ours):
        mine = json.loads(line)
        shape_ = mine.get('shape', '').replace(' ', '')
        if xla == 'aborted':
            counts['XLA aborts'] += 1
        elif xla.startswith('refused') and not shape_:
            counts['agreed to refuse'] += 1
        elif shape_ and shape_ == xla:
            counts['agreed'] += 1
        else:
            wrong += 1
            print(case[0], case[1], json.dumps(case[2]), '\n    XLA  ', xla, '\n    Indim', mine)
    print(counts, 'disagreed:', wrong)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
