# SPDX-License-Identifier: Apache-2.0
"""Breaks single operations of StableHLO in one place, and asks jaxlib and Indim: both refuse, or both take it.

  stablehlo_mutants.py --indim=PROGRAM [--step=N] [--seed=N] [--most=N] [--keep=FOLDER] CASES.jsonl...

The operations are those of the programs that CASES.jsonl expect to be accepted, and of OWN. Each becomes the only one of a
function, in the generic form, and is changed in one place: an element type, a size, a rank, a bound on a known size, a number in
the place of an array, an operand or result left out, a number or word of an attribute, an attribute left out. --step=N asks every
N-th. Where jaxlib refuses a mutant and Indim takes it, it is printed, unless ARGUED says why it may. Where jaxlib takes a mutant and Indim refuses it, the way to HLO must be closed in
XLA too: its conversion refuses it, or gives the function another type, or HLO's verifier refuses what comes of it. Else it is
printed, unless ARGUED_REFUSALS says why. The last lines are "compared: N ...", of mutants that jaxlib refuses.
jaxlib crashes on some; it is asked in a process of its own, begun anew where that dies.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import forked
import mlir_context
import numpy as np
from jaxlib import _jax, xla_client

ir = mlir_context.ir

# Mutants that Indim may take, by a part of what jaxlib says: docs/stablehlo.md has the reasons.
ARGUED = ['requires a single operand']  # of collective_broadcast: releases after 1.17 take several

# Mutants that Indim may refuse though XLA takes them, by the operation and a part of what Indim says.
ARGUED_REFUSALS = [
    ('stablehlo.dynamic_conv', 'depends on data'),  # XLA folds a result without elements before it looks
    ('stablehlo.einsum', 'is incompatible with the return type'),  # the same
    ('stablehlo.einsum', 'the sizes must be equal'),  # XLA sums both sides of a label, each by itself
    ('stablehlo.reduce', 'an odd number'),  # XLA drops the operand
    ('stablehlo.reduce_window', 'an odd number'),
    ('stablehlo.scatter', 'takes N arrays'),
    # XLA refuses these of static sizes, and verifies no unknown ones.
    ('stablehlo.reduce', 'is expected to be promotable'),
    ('stablehlo.torch_index_select', 'batch_dims -1'),  # XLA passes over a negative number
    ('stablehlo.torch_index_select', 'gather: '),  # XLA takes indices of 64 bits that are no integers, no others
]

# Operations that the cases lack: name, attributes, regions, operands' and results' types.
UNARY = ['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'bessel_i1e', 'conj', 'cosh', 'digamma', 'erf', 'erfc', 'lgamma', 'sinh',
         'square', 'tan']
BINARY = ['next_after', 'polygamma', 'zeta']
BROADCAST = ['add', 'atan2', 'divide', 'maximum', 'minimum', 'multiply', 'next_after', 'polygamma', 'power', 'remainder', 'subtract',
             'zeta']
BROADCAST_BITS = ['and', 'or', 'shift_left', 'shift_right_arithmetic', 'shift_right_logical', 'xor']
F, G, I, L, B, T = 'tensor<2x3xf32>', 'tensor<3xf32>', 'tensor<2x3xi32>', 'tensor<i32>', 'tensor<2x3xi1>', '!stablehlo.token'
C = 'tensor<2x3xcomplex<f32>>'
DIRECTION = ' <{comparison_direction = #chlo<comparison_direction LT>}>'
CHANNEL = 'channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>'
GROUPS = 'replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>'
BRANCH = '{\n  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>\n' \
         '  "stablehlo.return"(%0) : (tensor<f32>) -> ()\n}'
OWN = [
    *[('chlo.' + n, '', '', [F], [F]) for n in UNARY],
    *[('chlo.' + n, '', '', [F], [B]) for n in ('is_inf', 'is_neg_inf', 'is_pos_inf')],
    *[('chlo.' + n, '', '', [F, F], [F]) for n in BINARY],
    *[('chlo.broadcast_' + n, '', '', [F, G], [F]) for n in BROADCAST],
    *[('chlo.broadcast_' + n, '', '', [I, 'tensor<1x3xi32>'], [I]) for n in BROADCAST_BITS],
    ('chlo.conj', '', '', [C], [C]),
    ('chlo.mulhi', '', '', [I, I], [I]),
    ('chlo.broadcast_compare', DIRECTION, '', [F, G], [B]),
    ('chlo.broadcast_complex', '', '', [F, G], [C]),
    ('chlo.broadcast_add', ' <{broadcast_dimensions = array<i64: 0>}>', '', ['tensor<2xf32>', 'tensor<2x3xf32>'], [F]),
    ('chlo.broadcast_select', '', '', [B, F, G], [F]),
    ('chlo.constant', ' <{value = dense<1.0> : tensor<2x3xf32>}>', '', [], [F]),
    ('chlo.constant_like', ' <{value = 3.2 : f32}>', '', ['tensor<1x2xi64>'], ['tensor<1x2xf32>']),
    *[('stablehlo.' + n, '', '', [F, F], [F]) for n in ('atan2', 'remainder')],
    *[('stablehlo.' + n, '', '', [I, I], [I]) for n in ('remainder', 'shift_left', 'shift_right_arithmetic')],
    ('stablehlo.round_nearest_afz', '', '', [F], [F]),
    ('stablehlo.after_all', '', '', [T, T], [T]),
    ('stablehlo.batch_norm_inference', ' <{epsilon = 0.001 : f32, feature_index = 1 : i64}>', '', [F, G, G, G, G], [F]),
    ('stablehlo.broadcast', ' <{broadcast_sizes = array<i64: 1, 2>}>', '', [G], ['tensor<1x2x3xf32>']),
    ('stablehlo.case', '', ' (%s, %s)' % (BRANCH, BRANCH), [L], ['tensor<f32>']),
    ('stablehlo.if', '', ' (%s, %s)' % (BRANCH, BRANCH), ['tensor<i1>'], ['tensor<f32>']),
    ('stablehlo.cross-replica-sum', ' <{%s}>' % GROUPS, '', [F], [F]),
    ('stablehlo.dynamic_gather',
     ' <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], '
     'index_vector_dim = 1>, indices_are_sorted = false}>', '', [F, 'tensor<4x1xi32>', 'tensor<2xi32>'], ['tensor<4x?xf32>']),
    ('stablehlo.get_dimension_size', ' <{dimension = 1 : i64}>', '', [F], [L]),
    ('stablehlo.set_dimension_size', ' <{dimension = 0 : i64}>', '', [F, L],
     ['tensor<?x3xf32, #stablehlo.bounds<2, ?>>']),
    ('stablehlo.get_tuple_element', ' <{index = 1 : i32}>', '', ['tuple<%s, %s>' % (F, L)], [L]),
    ('stablehlo.infeed', ' <{infeed_config = "x", layout = [[0, 1], [0]]}>', '', [T], [F, G, T]),
    ('stablehlo.outfeed', ' <{outfeed_config = "x"}>', '', [F, G, T], [T]),
    ('stablehlo.optimization_barrier', '', '', [F, L], [F, L]),
    ('stablehlo.partition_id', '', '', [], ['tensor<ui32>']),
    ('stablehlo.real_dynamic_slice', '', '', [F, 'tensor<2xi64>', 'tensor<2xi64>', 'tensor<2xi64>'], ['tensor<?x?xf32>']),
    ('stablehlo.recv', ' <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}>', '', [T], [F, T]),
    ('stablehlo.send', ' <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}>', '', [F, T], [T]),
    ('stablehlo.torch_index_select', ' <{dim = 1 : i64, batch_dims = 0 : i64}>', '', [F, 'tensor<4xi32>'], ['tensor<2x4xf32>']),
    ('stablehlo.unary_einsum', ' <{einsum_config = "ab->a"}>', '', [F], ['tensor<2xf32>']),
    ('stablehlo.einsum', ' <{einsum_config = "ab,bc->ac"}>', '', [F, 'tensor<3x4xf32>'], ['tensor<2x4xf32>']),
    ('stablehlo.all_to_all', ' <{%s, concat_dimension = 0 : i64, split_dimension = 1 : i64, split_count = 2 : i64, %s}>' % (CHANNEL, GROUPS),
     '', ['tensor<4x6xf32>'], ['tensor<8x3xf32>']),
    ('stablehlo.all_to_all', ' <{%s, concat_dimension = 1 : i64, split_dimension = 1 : i64, split_count = 2 : i64, %s}>' % (CHANNEL, GROUPS),
     '', ['tensor<4x6xf32>'], ['tensor<4x6xf32>']),
    ('stablehlo.custom_call',
     ' <{backend_config = "x", call_target_name = "f", operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], '
     'result_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = '
     '[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}>', '', [F, G], [F]),
    ('stablehlo.custom_call', ' <{api_version = 4 : i32, backend_config = {a = 1 : i64}, call_target_name = "f"}>', '', [F], [G, F]),
]

BASES_OF_AN_OPERATION = 6
ELEMENTS = ['f32', 'f64', 'f16', 'i32', 'i64', 'i8', 'i1', 'ui32', 'complex<f32>', 'index', 'ui1', 'i16', 'f8E4M3FN']


# --- Operations ------------------------------------------------------------------------------------------------------------

class Base:
    """An operation by itself."""

    def __init__(self, name, attributes, regions, discardable, operands, results):
        self.name, self.attributes, self.regions, self.discardable = name, attributes, regions, discardable
        self.operands, self.results = operands, results

    def text(self):
        arguments = ', '.join(f'%a{i}: {t}' for i, t in enumerate(self.operands))
        results = ', '.join(self.results)
        names = f'%r:{len(self.results)} = ' if len(self.results) > 1 else '%r = ' if self.results else ''
        returned = ([f'%r#{i}' for i in range(len(self.results))] if len(self.results) > 1 else ['%r'] * len(self.results))
        operands = ', '.join(f'%a{i}' for i in range(len(self.operands)))
        ends = f' {", ".join(returned)} : {results}' if self.results else ''
        return (f'func.func @main({arguments}) -> ({results}) {{\n  {names}"{self.name}"({operands}){self.attributes}'
                f'{self.regions}{self.discardable} : ({", ".join(self.operands)}) -> ({results})\n  func.return{ends}\n}}\n')


def close(text, at):
    """Behind the bracket that closes the one at `at`; strings are passed over."""
    depth = 0
    while True:
        c = text[at]
        if c == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == '\\' else 1
        elif c in '({[':
            depth += 1
        elif c in ')}]':
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1


def base_of(operation):
    """The Base of an operation that captures nothing; None."""
    inside = set()

    def visit(op):
        for region in op.regions:
            for block in region.blocks:
                inside.update(a.get_name() for a in block.arguments)
                for child in block.operations:
                    inside.update(r.get_name() for r in child.operation.results)
                    for value in child.operation.operands:
                        if value.get_name() not in inside:
                            return False
                    if not visit(child.operation):
                        return False
        return True

    if not visit(operation):
        return None
    text = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
    head = re.match(r'(%[\w:, ]+ = )?"([\w.\-]+)"\(', text)
    name = head.group(2)
    at = close(text, head.end() - 1)
    attributes = regions = discardable = ''
    if text[at:at + 3] == ' <{':
        end = close(text, at + 2) + 1
        attributes, at = text[at:end], end
    if text[at:at + 2] == ' (':
        end = close(text, at + 1)
        regions, at = text[at:end], end
    if text[at:at + 2] == ' {':
        end = close(text, at + 1)
        discardable, at = text[at:end], end
    return Base(name, attributes, regions, discardable, [str(v.type) for v in operation.operands],
                [str(r.type) for r in operation.results])


def bases(texts):
    """A few bases of each operation, all that differ in their text."""
    found = collections.defaultdict(dict)
    for text in texts:
        context = mlir_context.context()
        with context, ir.Location.unknown(context):
            try:
                module = ir.Module.parse(text)
            except ir.MLIRError:
                continue

            def visit(op):
                for region in op.regions:
                    for block in region.blocks:
                        for child in block.operations:
                            child = child.operation
                            dialect = child.name.split('.')[0]
                            if dialect in ('stablehlo', 'chlo') and not child.name.endswith('.return'):
                                base = base_of(child)
                                of_name = found[child.name]
                                if base and len(of_name) < BASES_OF_AN_OPERATION and '@' not in base.attributes:
                                    of_name.setdefault(base.text(), base)
                            visit(child)

            visit(module.operation)
    return [base for _, of_name in sorted(found.items()) for _, base in sorted(of_name.items())]


# --- Mutants ---------------------------------------------------------------------------------------------------------------

def mutated_types(types):
    """(kind, types) with one of the types changed, or left out."""
    for i, text in enumerate(types):
        def other(new):
            return types[:i] + [new] + types[i + 1:]
        tensor = re.fullmatch(r'tensor<((?:[\d?]+x)*)((?:complex<)?\w+>?)(, .*)?>', text)
        if tensor:
            dims, element, tail = tensor.group(1), tensor.group(2), tensor.group(3) or ''
            sizes = dims.split('x')[:-1]
            for new in ELEMENTS:
                if new != element:
                    yield 'elem', other(f'tensor<{dims}{new}{tail}>')
            if not tail:
                for k, size in enumerate(sizes):
                    if size == '?':
                        continue
                    for changed in {int(size) + 1, max(int(size) - 1, 0), 2 * int(size), int(size) + 2} - {int(size)}:
                        yield 'dim', other(f'tensor<{"".join(s + "x" for s in sizes[:k] + [str(changed)] + sizes[k + 1:])}{element}>')
                    yield 'rank', other(f'tensor<{"".join(s + "x" for s in sizes[:k] + sizes[k + 1:])}{element}>')
                    yield 'unknown', other(f'tensor<{"".join(s + "x" for s in sizes[:k] + ["?"] + sizes[k + 1:])}{element}>')
                    yield 'bound', other(f'tensor<{dims}{element}, #stablehlo.bounds<{", ".join("?" * k + "4" + "?" * (len(sizes) - k - 1))}>>')
                yield 'unranked', other(f'tensor<*x{element}>')
                yield 'number', other(element)
                for new in ('1', '2'):
                    yield 'rank', other(f'tensor<{new}x{dims}{element}>')
                    yield 'rank', other(f'tensor<{dims}{new}x{element}>')
        yield 'kind', other('!stablehlo.token' if 'token' not in text else 'tensor<f32>')
        yield 'count', types[:i] + types[i + 1:]
        yield 'count', types[:i + 1] + types[i:]
        for k in range(i):
            if types[k] != text:
                swapped = list(types)
                swapped[i], swapped[k] = types[k], text
                yield 'swap', swapped


WORDS = [['LT', 'LE', 'GT', 'GE', 'EQ', 'NE'], ['FLOAT', 'TOTALORDER', 'SIGNED', 'UNSIGNED'],
         ['FFT', 'IFFT', 'RFFT', 'IRFFT'], ['UNIFORM', 'NORMAL'], ['DEFAULT', 'THREE_FRY', 'PHILOX'],
         ['DEFAULT', 'HIGH', 'HIGHEST'], ['NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'], ['true', 'false']]


def mutated_attributes(text):
    """(kind, text) with a number or a word changed, an element or an attribute left out."""
    for match in re.finditer(r'(?<![\w.<:#])-?\d+(?![\w.x])', text):
        value = int(match.group())
        for new in {value + 1, value - 1, -value - 1, 0, 2 * value + 1, value + 100} - {value}:
            yield 'number', text[:match.start()] + str(new) + text[match.end():]
    for match in re.finditer(r'\w+', text):
        for group in WORDS:
            if match.group() in group:
                for word in group:
                    if word != match.group():
                        yield 'word', text[:match.start()] + word + text[match.end():]
    for match in re.finditer(r'(array<i\d+: )([^>]*)>', text):
        items = match.group(2).split(', ')
        for new in (items[:-1], items + items[-1:], items + ['0'], items[1:], items[::-1]):
            if new != items:
                inner = match.group(1) + ', '.join(new) if new else match.group(1)[:-2]
                yield 'list', text[:match.start()] + inner + '>' + text[match.end():]
    for match in re.finditer(r'(\w+ = \[)([\d, ]*)\]', text):
        items = match.group(2).split(', ') if match.group(2) else []
        for new in (items[:-1], items + items[-1:], items + ['0'], items[::-1]):
            if new != items:
                yield 'list', text[:match.start()] + match.group(1) + ', '.join(new) + ']' + text[match.end():]
    if not text:
        yield 'properties', ' <{a = 1 : i64}>'
    inner = text[3:-2]
    if text.startswith(' <{') and inner:
        parts, depth, begin = [], 0, 0
        for at, c in enumerate(inner):
            depth += c in '<([{'
            depth -= c in '>)]}'
            if c == ',' and depth == 0:
                parts.append(inner[begin:at].strip())
                begin = at + 1
        parts.append(inner[begin:].strip())
        for k in range(len(parts)):
            left = parts[:k] + parts[k + 1:]
            yield 'attribute', ' <{' + ', '.join(left) + '}>' if left else ''


def mutated_regions(text):
    """(kind, text) with the type of one of a region's lines changed."""
    for match in re.finditer(r'tensor<([^<>]*?)(f32|f64|i32|i64|i1)>', text):
        for new in ('f32', 'i32', 'f64'):
            if new != match.group(2):
                yield 'region', text[:match.start(2)] + new + text[match.end(2):]
        yield 'region', text[:match.start(1)] + '2x' + text[match.start(1):]
    # All of one element type: a region that fits itself.
    for element in ('f32', 'f64', 'i32', 'i64', 'i1'):
        for new in ('f32', 'f64', 'i32'):
            changed = re.sub(r'(tensor<[^<>]*?)\b%s>' % element, r'\g<1>%s>' % new, text)
            if changed != text:
                yield 'region', changed


def mutants(base):
    """(kind, text) of one base."""
    for kind, operands in mutated_types(base.operands):
        yield 'operand_' + kind, Base(base.name, base.attributes, base.regions, base.discardable, operands, base.results).text()
    for kind, results in mutated_types(base.results):
        yield 'result_' + kind, Base(base.name, base.attributes, base.regions, base.discardable, base.operands, results).text()
    for kind, attributes in mutated_attributes(base.attributes):
        yield kind, Base(base.name, attributes, base.regions, base.discardable, base.operands, base.results).text()
    for kind, regions in mutated_regions(base.regions):
        yield kind, Base(base.name, base.attributes, regions, base.discardable, base.operands, base.results).text()


# --- The two judges --------------------------------------------------------------------------------------------------------

def answer(texts):
    """'' for each text that jaxlib takes, else why not."""
    context = mlir_context.context()
    with context, ir.Location.unknown(context):
        for text in texts:
            try:
                ir.Module.parse(text).operation.verify()
                yield ''
            except ir.MLIRError as error:
                yield str(error) or 'refused'


def shape_of(text):
    """A type of MLIR as XLA writes shapes, without layout."""
    tensor = re.fullmatch(r'tensor<((?:[\d?]+x)*)(complex<)?(\w+?)>?(, .*)?>', text)
    if not tensor:
        return text
    dims, is_complex, element = tensor.group(1), tensor.group(2), tensor.group(3)
    if is_complex:
        element = 'c' + str(2 * int(element[1:]))
    elif element == 'i1':
        element = 'pred'
    element = re.sub(r'^i', 's', re.sub(r'^ui', 'u', element))
    return f'{element}[{dims[:-1].replace("x", ",")}]'


def shapes_of(result):
    """Those of an xla.Shape."""
    parts = result.tuple_shapes() if result.is_tuple() else [result]
    return [re.sub(r'\{.*\}', '', str(part)).replace('token[]', '!stablehlo.token') for part in parts]


def convert(client, text):
    """'' where XLA makes a graph of it that HLO's verifier takes and that has the function's type; else why not."""
    computation = _jax.mlir.mlir_module_to_xla_computation(text.encode(), use_tuple_args=False, return_tuple=False)
    function = ir.Module.parse(text).body.operations[0]
    declared = [shape_of(str(t)) for t in ir.FunctionType(function.attributes['function_type'].value).results]
    given = shapes_of(computation.program_shape().result_shape())
    if '<=' not in str(given) and declared != given:
        return f'gives another type: {given} instead of {declared}'
    options = xla_client.CompileOptions()
    options.num_replicas = 8 if 'groups = dense' in text else 1
    devices = client.local_devices()[:options.num_replicas]
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[d.id] for d in devices]))
    try:
        client.compile_and_load(text.encode(), _jax.DeviceList(tuple(devices)), options)
    except _jax.JaxRuntimeError as error:
        if '[hlo verifier]' in str(error) and 'Unbounded dynamism' not in str(error):
            return 'HLO verifier: ' + str(error)
    return ''


def answer_of_xla(texts):
    client = xla_client.make_cpu_client(num_devices=8)
    context = mlir_context.context()
    with context, ir.Location.unknown(context):
        for text in texts:
            try:
                yield convert(client, text)
            except _jax.JaxRuntimeError as error:
                yield 'conversion: ' + str(error)


def ask_indim(program, texts, folder):
    """Why it refuses each text; '': it takes it."""
    for i, text in enumerate(texts):
        with open(os.path.join(folder, f'{i:06}.mlir'), 'w', encoding='utf-8') as file:
            file.write(text)
    said = subprocess.run([program, 'check', '--format=json', folder], stdout=subprocess.PIPE, check=False).stdout.decode()
    refused = {}
    for line in said.splitlines():
        if line.startswith('{"version"'):
            verdict = json.loads(line)
            errors = verdict.get('errors') or ([] if 'instructions' in verdict else [verdict])
            refused[int(os.path.basename(verdict['file'])[:-5])] = errors[0].get('message') or 'refused' if errors else ''
    return [refused[i] for i in range(len(texts))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--indim', required=True)
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--most', type=int, default=60, help='mutants of one operation and its operands')
    parser.add_argument('--keep', help='a folder for the mutants that only one refuses')
    parser.add_argument('cases', nargs='+')
    arguments = parser.parse_args()
    texts = [Base(name, attributes, regions, '', operands, results).text() for name, attributes, regions, operands, results in OWN]
    for path in arguments.cases:
        with open(path, encoding='utf-8') as file:
            for line in file:
                case = json.loads(line)
                if case.get('expect', 'accept') == 'accept':
                    texts.append(case['text'])
    chooser = random.Random(arguments.seed)
    chosen = {}
    operations = set()
    for base in bases(texts):
        made = list(dict.fromkeys((text, kind) for kind, text in mutants(base)))
        if len(made) > arguments.most:
            made = chooser.sample(made, arguments.most)
        operations.add(base.name)
        for text, kind in made:
            chosen.setdefault(text, (base.name, kind))
    asked = list(chosen)[::arguments.step]
    verdicts = forked.ask(answer, asked)
    with tempfile.TemporaryDirectory() as folder:
        refused = ask_indim(arguments.indim, asked, folder)
    only_indim = [text for text, verdict, refusal in zip(asked, verdicts, refused) if verdict == '' and refusal]
    xla = dict(zip(only_indim, forked.ask(answer_of_xla, only_indim)))
    counts = collections.Counter()
    wrong = 0
    for text, verdict, refusal in zip(asked, verdicts, refused):
        name, kind = chosen[text]
        says = ''
        if verdict is None:
            what = 'jaxlib dies'
        elif text in xla:
            what = 'only Indim refuses'
            if xla[text] is None:
                what = 'XLA dies, Indim refuses'
            elif xla[text]:
                what = 'Indim refuses, and XLA: ' + xla[text].split(':')[0]
            elif any(name == of and part in refusal for of, part in ARGUED_REFUSALS):
                what = 'refusals argued'
            else:
                says = 'Indim: ' + refusal
        elif not verdict:
            what = 'both take'
        elif refusal:
            what = 'both refuse'
        elif any(part in verdict for part in ARGUED):
            what = 'argued'
        else:
            what = 'only jaxlib refuses'
            says = 'jaxlib: ' + verdict
        counts[what] += 1
        if says:
            wrong += 1
            why = ' '.join(says.split())[:300]
            print(f'{name} {kind}: {why}\n{text}')
            if arguments.keep:
                digest = hashlib.sha1(text.encode()).hexdigest()[:8]
                with open(os.path.join(arguments.keep, f'{name}_{kind}_{digest}.mlir'), 'w', encoding='utf-8') as file:
                    file.write(f'// {why}\n{text}')
    print(f'{len(operations)} operations, {len(asked)} mutants: ' + ', '.join(f'{n} {what}' for what, n in sorted(counts.items())))
    compared = sum(counts[what] for what in ('both refuse', 'argued', 'only jaxlib refuses'))
    print(f'compared: {compared} mutants that jaxlib refuses')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
