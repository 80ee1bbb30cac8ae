// SPDX-License-Identifier: Apache-2.0
// Collectives, each as what the members of one group get from each other.

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/element_function.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/eval/ops/exchange.h"

namespace indim {
namespace {

// A single value bare, several in a tuple.
std::optional<Value> BareOrTuple(Evaluation& e, std::vector<Value> values) {
  if (values.size() == 1) return values[0];
  return TupleOf(e, std::move(values));
}

bool SetOrFail(Exchange* x, size_t member, std::optional<Value> value) {
  if (!value) return false;
  x->Set(member, *std::move(value));
  return true;
}

bool SetAllOrFail(Exchange* x, const std::optional<Value>& value) {
  if (value) x->SetAll(*value);
  return value.has_value();
}

bool ExpectNamed(const Exchange& x) {
  if (!x.group().left_out) return true;
  x.e().Fail(
      absl::StrCat("device ", x.group().devices[0], " takes no part in it"));
  return false;
}

// An array as rows of blocks along `dim`: [rows, sizes[dim], width].
struct Blocks {
  int64_t rows = 1;
  int64_t width = 1;

  Blocks(const Sizes& sizes, int64_t dim) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      (static_cast<int64_t>(d) < dim ? rows : width) *=
          static_cast<int64_t>(d) == dim ? 1 : sizes[d];
    }
  }
};

// Copies `size` elements along `dim` from `from`, beginning at `from_start`,
// to `to`, beginning at `to_start`.
void CopyAlong(int64_t dim, const Value& from, int64_t from_start, int64_t size,
               int64_t to_start, ArrayMaker* to) {
  const Blocks blocks(from.sizes(), dim);
  const int64_t from_size = from.size(static_cast<int>(dim));
  const int64_t to_size = to->sizes()[static_cast<size_t>(dim)];
  for (int64_t row = 0; row < blocks.rows; ++row) {
    const int64_t read = (row * from_size + from_start) * blocks.width;
    const int64_t written = (row * to_size + to_start) * blocks.width;
    for (int64_t i = 0; i < size * blocks.width; ++i) {
      to->Copy(written + i, from, read + i);
    }
  }
}

// Part `number` of `parts` equal ones along `dim`; nullopt after an error.
std::optional<Value> PartOf(Evaluation& e, const Value& whole, int64_t dim,
                            int64_t number, int64_t parts) {
  const int64_t size = whole.size(static_cast<int>(dim));
  if (size % parts != 0) {
    return e.Fail(absl::StrCat("dim ", dim, " of size ", size,
                               " isn't cut into ", parts, " equal parts"));
  }
  Sizes sizes = whole.sizes();
  sizes[static_cast<size_t>(dim)] = size / parts;
  ArrayMaker part;
  if (!e.NewArray(whole.type(), sizes, &part)) return std::nullopt;
  CopyAlong(dim, whole, number * (size / parts), size / parts, 0, &part);
  return std::move(part).Finish();
}

// Arrays of equal shapes, one behind the other along `dim`.
std::optional<Value> Joined(Evaluation& e, const std::vector<Value>& parts,
                            int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Sizes sizes = parts[0].sizes();
  const int64_t size = sizes[static_cast<size_t>(dim)];
  if (size > (int64_t{1} << 62) / static_cast<int64_t>(parts.size())) {
    return e.Fail("its result has too many elements");
  }
  sizes[static_cast<size_t>(dim)] = size * static_cast<int64_t>(parts.size());
  ArrayMaker joined;
  if (!e.NewArray(parts[0].type(), sizes, &joined)) return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    CopyAlong(dim, parts[i], 0, size, size * static_cast<int64_t>(i), &joined);
  }
  return std::move(joined).Finish();
}

// --- Reductions --------------------------------------------------------------

// Operand `i` of all members, reduced elementwise in the order of the members.
std::optional<Value> Reduced(const Exchange& x, ElementFunction* reducer,
                             size_t i) {
  Evaluation& e = x.e();
  const Value& first = x.operand(0, i);
  for (int parameter = 0; parameter < 2; ++parameter) {
    if (!SameTypeIgnoringFloatPrecision(reducer->parameter_type(parameter),
                                        first.type())) {
      return e.FailType(static_cast<int>(i));
    }
  }
  ArrayMaker sums;
  if (!e.NewArray(first.type(), first.sizes(), &sums)) return std::nullopt;
  for (int64_t at = 0; at < first.count(); ++at) {
    Scalar sum = first.At(at);
    for (size_t m = 1; m < x.size(); ++m) {
      const Scalar arguments[] = {
          RoundedTo(reducer->parameter_type(0), sum),
          RoundedTo(reducer->parameter_type(1), x.operand(m, i).At(at))};
      if (!reducer->Call(arguments, &sum)) return std::nullopt;
    }
    sums.Set(at, sum);
  }
  return std::move(sums).Finish();
}

// The first `count` operands, reduced.
std::optional<std::vector<Value>> Reductions(const Exchange& x, size_t count) {
  if (!x.ExpectAlike(x.operand_count())) return std::nullopt;
  std::vector<Value> sums;
  if (x.size() == 1) {
    const absl::Span<const Value> own = x.operands(0).subspan(0, count);
    sums.assign(own.begin(), own.end());
    return sums;
  }
  ElementFunction reducer(&x.e(), 0);
  if (!reducer.Expect(2, 1)) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Value> sum = Reduced(x, &reducer, i);
    if (!sum) return std::nullopt;
    sums.push_back(*std::move(sum));
  }
  return sums;
}

// All operands, reduced.
std::optional<std::vector<Value>> AllReduced(const Exchange& x) {
  if (!ExpectNamed(x)) return std::nullopt;
  return Reductions(x, x.operand_count());
}

// The one dim of a collective that cuts or joins along it.
std::optional<int64_t> OnlyDim(const Exchange& x) {
  const DimIndices& dims =
      x.e().attributes_as<CollectiveAttributes>().dimensions;
  if (dims.size() != 1) return x.e().Fail("it needs one dim");
  for (size_t i = 0; i < x.operand_count(); ++i) {
    if (!x.e().ExpectDim(static_cast<int>(i), dims[0])) return std::nullopt;
  }
  return dims[0];
}

std::optional<Value> AllGathered(Exchange* x) {
  if (!ExpectNamed(*x) || !x->ExpectAlike(x->operand_count())) {
    return std::nullopt;
  }
  std::vector<Value> gathered(x->operands(0).begin(), x->operands(0).end());
  if (x->size() > 1) {
    const std::optional<int64_t> dim = OnlyDim(*x);
    if (!dim) return std::nullopt;
    for (size_t i = 0; i < gathered.size(); ++i) {
      std::vector<Value> parts;
      for (size_t m = 0; m < x->size(); ++m) parts.push_back(x->operand(m, i));
      std::optional<Value> joined = Joined(x->e(), parts, *dim);
      if (!joined) return std::nullopt;
      gathered[i] = *std::move(joined);
    }
  }
  return BareOrTuple(x->e(), std::move(gathered));
}

std::vector<Value> OperandsOf(const Exchange& x, size_t member) {
  return {x.operands(member).begin(), x.operands(member).end()};
}

// Operand i goes to member i, and the result is a tuple of all received.
bool ExchangeOperands(Exchange* x) {
  if (x->operand_count() != x->size()) {
    x->e().Fail(absl::StrCat("it needs ", x->operand_count(),
                             " devices in each group, not ", x->size()));
    return false;
  }
  for (size_t m = 0; m < x->size(); ++m) {
    std::vector<Value> received;
    for (size_t from = 0; from < x->size(); ++from) {
      received.push_back(x->operand(from, m));
    }
    if (!SetOrFail(x, m, TupleOf(x->e(), std::move(received)))) return false;
  }
  return true;
}

// Operands: input, output, then, one number for each part that is sent: its
// first row in the input, its number of rows, its place in the receiver's
// output, the number of rows received.
bool ExpectRagged(const Exchange& x) {
  Evaluation& e = x.e();
  const Value& input = x.operand(0, 0);
  const Value& output = x.operand(0, 1);
  Sizes row = input.sizes();
  if (row.empty() || output.rank() != input.rank() ||
      input.type() != output.type()) {
    e.Fail("its input and output don't go together");
    return false;
  }
  row[0] = output.size(0);
  if (row != output.sizes()) {
    e.Fail("its rows' sizes differ");
    return false;
  }
  for (size_t i = 2; i < 6; ++i) {
    if (!IsIntegral(x.operand(0, i).type()) ||
        x.operand(0, i).sizes() != x.operand(0, 2).sizes()) {
      e.FailType(static_cast<int>(i));
      return false;
    }
  }
  if (x.operand(0, 2).count() % static_cast<int64_t>(x.size()) == 0) {
    return true;
  }
  e.Fail(absl::StrCat("its ", x.operand(0, 2).count(),
                      " parts don't go to the ", x.size(),
                      " devices of a group, as many to each"));
  return false;
}

// Copies part `part` of member `from` to `output`. Returns false after an
// error.
bool SendRows(const Exchange& x, size_t from, int64_t part,
              ArrayMaker* output) {
  Evaluation& e = x.e();
  const Value& input = x.operand(from, 0);
  const int64_t size = output->sizes()[0];
  const int64_t first = x.operand(from, 2).At(part).integer();
  const int64_t rows = x.operand(from, 3).At(part).integer();
  const int64_t to = x.operand(from, 4).At(part).integer();
  if (rows < 0 || first < 0 || to < 0 || rows > input.size(0) ||
      first > input.size(0) - rows || rows > size || to > size - rows) {
    e.Fail(absl::StrCat("part ", part, " lies outside"));
    return false;
  }
  const int64_t width = StridesOf(input.sizes())[0];
  if (!e.Charge(rows * width)) return false;
  CopyAlong(0, input, first, rows, to, output);
  return true;
}

// Zeros for each operand before `count`.
std::optional<Value> ZerosFor(const Exchange& x, size_t count) {
  std::vector<Value> zeros;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Value> zero = Zeros(x.e(), x.operand(0, i).shape());
    if (!zero) return std::nullopt;
    zeros.push_back(*std::move(zero));
  }
  return BareOrTuple(x.e(), std::move(zeros));
}

// The number of arrays beside the roots, where the last operand names them.
size_t CountBesideRoots(const Exchange& x) {
  const auto& a = x.e().attributes_as<CollectiveAttributes>();
  return x.operand_count() - (a.has_dynamic_root ? 1 : 0);
}

// The member that sends or gets array `i` of `arrays`: the first one, or the
// one that the last operand names.
std::optional<size_t> RootOf(const Exchange& x, size_t i, size_t arrays) {
  if (arrays >= x.operand_count()) return 0;
  const Value& roots = x.operand(0, arrays);
  if (!IsIntegral(roots.type()) || roots.count() <= static_cast<int64_t>(i)) {
    return x.e().FailType(static_cast<int>(arrays));
  }
  const int64_t root =
      Position(roots.type(), roots.At(static_cast<int64_t>(i)));
  if (root < 0 || root >= static_cast<int64_t>(x.size())) {
    return x.e().Fail(absl::StrCat("its root is ", root, " of ", x.size()));
  }
  return static_cast<size_t>(root);
}

// What member `m` receives: zeros if no device sends to it.
std::optional<Value> Permuted(const Exchange& x, size_t m) {
  const auto& a = x.e().attributes_as<CollectivePermuteAttributes>();
  if (!a.slice_sizes.empty()) {
    return x.e().Fail("its form in place is the devices' own");
  }
  const std::vector<int64_t>& ids = x.group().ids;
  for (const auto& [source, target] : a.source_target_pairs) {
    if (target != ids[m]) continue;
    for (size_t from = 0; from < ids.size(); ++from) {
      if (ids[from] == source) return BareOrTuple(x.e(), OperandsOf(x, from));
    }
  }
  return ZerosFor(x, x.operand_count());
}

}  // namespace

bool ExchangeAllReduce(Exchange* x) {
  std::optional<std::vector<Value>> sums = AllReduced(*x);
  return sums && SetAllOrFail(x, BareOrTuple(x->e(), *std::move(sums)));
}

bool ExchangeReduceScatter(Exchange* x) {
  const std::optional<std::vector<Value>> sums = AllReduced(*x);
  if (!sums) return false;
  if (x->size() == 1) return SetAllOrFail(x, BareOrTuple(x->e(), *sums));
  const std::optional<int64_t> dim = OnlyDim(*x);
  if (!dim) return false;
  for (size_t m = 0; m < x->size(); ++m) {
    std::vector<Value> parts;
    for (const Value& sum : *sums) {
      std::optional<Value> part =
          PartOf(x->e(), sum, *dim, static_cast<int64_t>(m),
                 static_cast<int64_t>(x->size()));
      if (!part) return false;
      parts.push_back(*std::move(part));
    }
    if (!SetOrFail(x, m, BareOrTuple(x->e(), std::move(parts)))) return false;
  }
  return true;
}

// --- Gathering ---------------------------------------------------------------

bool ExchangeAllGather(Exchange* x) { return SetAllOrFail(x, AllGathered(x)); }

bool ExchangeAllGatherStart(Exchange* x) {
  const std::optional<Value> gathered = AllGathered(x);
  if (!gathered) return false;
  for (size_t m = 0; m < x->size(); ++m) {
    std::optional<Value> read = BareOrTuple(x->e(), OperandsOf(*x, m));
    if (!read || !SetOrFail(x, m, Started(x->e(), *read, *gathered))) {
      return false;
    }
  }
  return true;
}

// --- From all to all ---------------------------------------------------------

// Without a split dim, operand i goes to device i and the result is a tuple.
bool ExchangeAllToAll(Exchange* x) {
  Evaluation& e = x->e();
  if (!ExpectNamed(*x) || !x->ExpectAlike(x->operand_count())) return false;
  const auto& a = e.attributes_as<CollectiveAttributes>();
  if (a.dimensions.empty() && !a.split_dimension) return ExchangeOperands(x);
  if (x->operand_count() != 1) {
    e.Fail("it cuts one array, not several");
    return false;
  }
  const int64_t split =
      a.split_dimension.value_or(a.dimensions.empty() ? 0 : a.dimensions[0]);
  const int64_t join = a.concat_dimension.value_or(split);
  if (!e.ExpectDim(0, split) || !e.ExpectDim(0, join)) return false;
  const int64_t count = static_cast<int64_t>(x->size());
  for (size_t m = 0; m < x->size(); ++m) {
    std::vector<Value> parts;
    for (size_t from = 0; from < x->size(); ++from) {
      std::optional<Value> part =
          PartOf(e, x->operand(from, 0), split, static_cast<int64_t>(m), count);
      if (!part) return false;
      parts.push_back(*std::move(part));
    }
    if (!SetOrFail(x, m, Joined(e, parts, join))) return false;
  }
  return true;
}

bool ExchangeRaggedAllToAll(Exchange* x) {
  if (!ExpectNamed(*x) || !x->ExpectAlike(6) || !ExpectRagged(*x)) return false;
  const int64_t parts =
      x->operand(0, 2).count() / static_cast<int64_t>(x->size());
  for (size_t m = 0; m < x->size(); ++m) {
    const Value& output = x->operand(m, 1);
    ArrayMaker result;
    if (!x->e().NewArray(output.type(), output.sizes(), &result)) return false;
    result.CopyAll(output);
    for (size_t from = 0; from < x->size(); ++from) {
      for (int64_t i = 0; i < parts; ++i) {
        const int64_t part = static_cast<int64_t>(m) * parts + i;
        if (!SendRows(*x, from, part, &result)) return false;
      }
    }
    x->Set(m, std::move(result).Finish());
  }
  return true;
}

// --- From and to one ---------------------------------------------------------

// The root sends. What no group names gets zeros. Source: XLA, operation
// semantics of CollectiveBroadcast.
bool ExchangeCollectiveBroadcast(Exchange* x) {
  Evaluation& e = x->e();
  if (!x->ExpectAlike(x->operand_count())) return false;
  const size_t beside_roots = CountBesideRoots(*x);
  // Without roots XLA reads operand 0 alone.
  const bool has_roots = beside_roots < x->operand_count();
  const size_t arrays = has_roots ? beside_roots : 1;
  if (arrays == 0) {
    e.Fail("it has nothing to send");
    return false;
  }
  if (x->group().left_out) return SetAllOrFail(x, ZerosFor(*x, arrays));
  std::vector<Value> sent;
  for (size_t i = 0; i < arrays; ++i) {
    const std::optional<size_t> sender = has_roots ? RootOf(*x, i, arrays) : 0;
    if (!sender) return false;
    sent.push_back(x->operand(*sender, i));
  }
  return SetAllOrFail(x, BareOrTuple(e, std::move(sent)));
}

// The root gets the reduction; all others, and what no group names, get zeros.
// Source: StableHLO, collective_reduce.
bool ExchangeCollectiveReduce(Exchange* x) {
  const size_t arrays = CountBesideRoots(*x);
  if (arrays == 0) {
    x->e().Fail("it has nothing to reduce");
    return false;
  }
  if (x->group().left_out) return SetAllOrFail(x, ZerosFor(*x, arrays));
  const std::optional<std::vector<Value>> sums = Reductions(*x, arrays);
  if (!sums) return false;
  for (size_t m = 0; m < x->size(); ++m) {
    std::vector<Value> results;
    for (size_t i = 0; i < arrays; ++i) {
      const std::optional<size_t> root = RootOf(*x, i, arrays);
      if (!root) return false;
      std::optional<Value> zeros = Zeros(x->e(), (*sums)[i].shape());
      if (!zeros) return false;
      results.push_back(*root == m ? (*sums)[i] : *std::move(zeros));
    }
    if (!SetOrFail(x, m, BareOrTuple(x->e(), std::move(results)))) return false;
  }
  return true;
}

bool ExchangeCollectivePermute(Exchange* x) {
  for (size_t m = 0; m < x->size(); ++m) {
    if (!SetOrFail(x, m, Permuted(*x, m))) return false;
  }
  return true;
}

bool ExchangeCollectivePermuteStart(Exchange* x) {
  for (size_t m = 0; m < x->size(); ++m) {
    const std::optional<Value> read = BareOrTuple(x->e(), OperandsOf(*x, m));
    const std::optional<Value> written = Permuted(*x, m);
    if (!read || !written ||
        !SetOrFail(x, m, Started(x->e(), *read, *written))) {
      return false;
    }
  }
  return true;
}

// --- On one device -----------------------------------------------------------

std::optional<Value> EvalCollective(Evaluation& e) {
  const EvalDevices& devices = e.devices();
  if (devices.count() > 1) {
    return e.Fail("it is in a computation that devices run one by one");
  }
  const std::optional<std::vector<ExchangeGroup>> groups = GroupsOf(e, devices);
  if (!groups) return std::nullopt;
  Exchange x(&e, &(*groups)[0], {e.operands()});
  if (!FindExchange(e.opcode(), e.attributes())(&x)) return std::nullopt;
  return x.results()[0];
}

std::optional<Value> EvalPartitionId(Evaluation& e) {
  if (e.devices().count() == 0) return e.Fail("it depends on the device");
  return Value::Of(
      ElementType::kU32,
      Scalar::Bits(static_cast<uint64_t>(e.devices().partition(e.device()))));
}

std::optional<Value> EvalReplicaId(Evaluation& e) {
  if (e.devices().count() == 0) return e.Fail("it depends on the device");
  return Value::Of(
      ElementType::kU32,
      Scalar::Bits(static_cast<uint64_t>(e.devices().replica(e.device()))));
}

}  // namespace indim
