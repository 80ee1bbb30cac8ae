// Collectives on device 0 alone. A group of several devices is an error.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"
#include "indim/shape/ops/replica_groups.h"

namespace indim {
namespace {

// The number of members of device 0's group; nullopt: unknown.
std::optional<int64_t> GroupSize(const ReplicaGroups& all) {
  ReplicaGroups counted = all;
  if (counted.mesh && !CountMeshGroups(&counted)) return std::nullopt;
  if (counted.iota_group_size > 0) return counted.iota_group_size;
  if (counted.groups.empty()) return 1;  // all devices: one
  for (const std::vector<int64_t>& group : counted.groups) {
    for (int64_t id : group) {
      if (id == 0) return static_cast<int64_t>(group.size());
    }
  }
  return counted.groups[0].empty() ? 1 : std::optional<int64_t>();
}

// Device 0 must be alone in its group, else it adds an error.
bool ExpectAlone(Evaluation& e) {
  const std::optional<int64_t> size =
      GroupSize(e.attributes_as<CollectiveAttributes>().replica_groups);
  if (size == 1) return true;
  e.Fail(size ? absl::StrCat("it needs ", *size, " devices")
              : std::string("device 0 takes no part in it"));
  return false;
}

// A single operand bare, several in a tuple.
std::optional<Value> BareOrTuple(Evaluation& e) {
  if (e.operand_count() == 1) return e.operand(0);
  return TupleOf(e, AllOperands(e));
}

}  // namespace

std::optional<Value> EvalDeviceId(Evaluation&) {
  return Value::Of(ElementType::kU32, Scalar::Bits(0));
}

std::optional<Value> EvalAllReduce(Evaluation& e) {
  if (!e.ExpectArrays() || !ExpectAlone(e)) return std::nullopt;
  return BareOrTuple(e);
}

std::optional<Value> EvalAllGather(Evaluation& e) { return EvalAllReduce(e); }

std::optional<Value> EvalReduceScatter(Evaluation& e) {
  return EvalAllReduce(e);
}

std::optional<Value> EvalAllGatherStart(Evaluation& e) {
  std::optional<Value> gathered = EvalAllReduce(e);
  if (!gathered) return std::nullopt;
  return Started(e, *gathered, *gathered);
}

// Without a split dim, operand i goes to device i and the result is a tuple.
std::optional<Value> EvalAllToAll(Evaluation& e) {
  if (!e.ExpectArrays() || !ExpectAlone(e)) return std::nullopt;
  const auto& a = e.attributes_as<CollectiveAttributes>();
  if (e.operand_count() != 1) {
    return e.Fail(absl::StrCat("it needs ", e.operand_count(), " devices"));
  }
  if (!a.dimensions.empty() || a.split_dimension >= 0) return e.operand(0);
  return TupleOf(e, AllOperands(e));
}

// With a dynamic root the last operand gives the roots.
std::optional<Value> EvalCollectiveBroadcast(Evaluation& e) {
  if (!e.ExpectArrays() || !ExpectAlone(e)) return std::nullopt;
  std::vector<Value> arrays = AllOperands(e);
  if (!e.attributes_as<CollectiveAttributes>().has_dynamic_root) {
    return arrays[0];
  }
  arrays.pop_back();
  if (arrays.empty()) return e.Fail("it has nothing to send");
  if (arrays.size() == 1) return arrays[0];
  return TupleOf(e, std::move(arrays));
}

// Operands: input, output, then, one number for each part that is sent: its
// first row in the input, its number of rows, its place in the receiver's
// output, the number of rows received.
std::optional<Value> EvalRaggedAllToAll(Evaluation& e) {
  if (!e.ExpectArrays() || !ExpectAlone(e)) return std::nullopt;
  const Value& input = e.operand(0);
  const Value& output = e.operand(1);
  Sizes row = input.sizes();
  if (row.empty() || output.rank() != input.rank() ||
      input.type() != output.type()) {
    return e.Fail("its input and output don't go together");
  }
  row[0] = output.size(0);
  if (row != output.sizes()) return e.Fail("its rows' sizes differ");
  for (int i = 2; i < 6; ++i) {
    if (!IsIntegral(e.operand(i).type()) ||
        e.operand(i).sizes() != e.operand(2).sizes()) {
      return e.FailType(i);
    }
  }
  ArrayMaker result;
  if (!e.NewArray(output.type(), output.sizes(), &result)) return std::nullopt;
  result.CopyAll(output);
  const int64_t width = StridesOf(output.sizes())[0];
  for (int64_t part = 0; part < e.operand(2).count(); ++part) {
    const int64_t from = e.operand(2).At(part).integer();
    const int64_t rows = e.operand(3).At(part).integer();
    const int64_t to = e.operand(4).At(part).integer();
    if (rows < 0 || from < 0 || to < 0 || rows > input.size(0) ||
        from > input.size(0) - rows || rows > output.size(0) ||
        to > output.size(0) - rows) {
      return e.Fail(absl::StrCat("part ", part, " lies outside"));
    }
    if (!e.Charge(rows * width)) return std::nullopt;
    for (int64_t i = 0; i < rows * width; ++i) {
      result.Copy(to * width + i, input, from * width + i);
    }
  }
  return std::move(result).Finish();
}

namespace {

// The data that device 0 receives: its own, or zeros if no device sends to it.
std::optional<Value> Permuted(Evaluation& e) {
  const auto& a = e.attributes_as<CollectivePermuteAttributes>();
  if (!a.slice_sizes.empty()) {
    return e.Fail("its form in place is the devices' own");
  }
  bool from_itself = false;
  for (const std::pair<int64_t, int64_t>& pair : a.source_target_pairs) {
    if (pair.second != 0) continue;
    if (pair.first != 0) {
      return e.Fail(absl::StrCat("it needs device ", pair.first));
    }
    from_itself = true;
  }
  if (from_itself) return BareOrTuple(e);
  std::vector<Value> zeros;
  for (const Value& operand : e.operands()) {
    std::optional<Value> zero = Zeros(e, operand.shape());
    if (!zero) return std::nullopt;
    zeros.push_back(*std::move(zero));
  }
  if (zeros.size() == 1) return zeros[0];
  return TupleOf(e, std::move(zeros));
}

}  // namespace

std::optional<Value> EvalCollectivePermute(Evaluation& e) {
  return Permuted(e);
}

std::optional<Value> EvalCollectivePermuteStart(Evaluation& e) {
  const std::optional<Value> read = BareOrTuple(e);
  const std::optional<Value> written = Permuted(e);
  if (!read || !written) return std::nullopt;
  return Started(e, *read, *written);
}

}  // namespace indim
