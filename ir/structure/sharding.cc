// Shardings (XLA: HloSharding::Validate; of domains and of the module,
// HloSharding::FromProto alone).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/field_list.h"
#include "indim/ir/field_numbers.h"
#include "indim/ir/structure/checks.h"
#include "indim/ir/structure/sharding_form.h"

namespace indim {
namespace structure {
namespace {

using field::HloInstructionProto::kSharding;

constexpr std::pair<int, const char*> kDomainShardings[] = {{54, "on entry"},
                                                            {55, "on exit"}};
// HloModuleProto.
constexpr std::pair<uint32_t, const char*> kModuleShardings[] = {
    {12, "spmd_output_sharding"}, {14, "spmd_parameters_shardings"}};

// f(leaf) for the leaves of `shape` in pre-order, while it returns true. An
// empty tuple has none.
template <typename F>
bool ForEachLeaf(const Shape& shape, const F& f) {
  if (!shape.is_tuple()) return f(shape);
  for (const Shape& element : shape.elements()) {
    if (!ForEachLeaf(element, f)) return false;
  }
  return true;
}

// The sharding of one instruction.
class ShardingChecker {
 public:
  // `devices`: how many there are; 0: who knows.
  ShardingChecker(Context* context, int64_t devices, uint32_t c, uint32_t i)
      : context_(context),
        devices_(devices),
        c_(c),
        i_(i),
        shape_(context->At(c, i).shape()) {}

  void Run(absl::string_view wire) {
    FieldList sharding(WireMessage::kOpSharding);
    sharding.Append(wire);
    if (IsTupleSharding(sharding)) return CheckTuple(sharding);
    const ShardingForm form = ReadShardingForm(sharding);
    if (!CheckForm(form) || shape_.is_token()) return;
    // One sharding is meant for every leaf.
    ForEachLeaf(shape_, [&](const Shape& leaf) { return Fits(form, leaf); });
  }

 private:
  void CheckTuple(const FieldList& sharding);
  // False: a sharding of one array is none.
  bool CheckForm(const ShardingForm& form);
  // False: it isn't of the devices that there are.
  bool CheckDevices(const ShardingForm& form);
  // False: it isn't of `leaf`.
  bool Fits(const ShardingForm& form, const Shape& leaf);

  Context* context_;
  int64_t devices_;
  uint32_t c_;
  uint32_t i_;
  const Shape& shape_;
};

void ShardingChecker::CheckTuple(const FieldList& sharding) {
  std::vector<ShardingForm> parts;
  for (absl::string_view text : sharding.Texts(kTupleShardings)) {
    FieldList part(WireMessage::kOpSharding);
    part.Append(text);
    parts.push_back(ReadShardingForm(part));
    if (!CheckForm(parts.back())) return;
  }
  // Of an outfeed it is about what goes out.
  if (shape_.is_none() || shape_.is_token()) return;
  // Tuples may share their elements: stop counting where it is too many.
  size_t leaves = 0;
  ForEachLeaf(shape_, [&](const Shape&) { return ++leaves <= parts.size(); });
  // What has no leaves may have one, which is about nothing.
  if (leaves == 0 && parts.size() == 1) return;
  if (leaves != parts.size()) {
    context_->Add(
        Rule::kShardingLeaves, c_, i_, static_cast<int64_t>(parts.size()),
        leaves > parts.size() ? std::string("more") : absl::StrCat(leaves));
    return;
  }
  size_t next = 0;
  ForEachLeaf(shape_, [&](const Shape& leaf) {
    Fits(parts[next++], leaf);
    return true;
  });
}

bool ShardingChecker::CheckForm(const ShardingForm& form) {
  if (form.tiles) {
    context_->Add(Rule::kShardingTiles, c_, i_, *form.tiles, form.device_count);
  } else if (!form.fault.empty()) {
    context_->Add(Rule::kShardingForm, c_, i_, form.fault);
  }
  return form.fault.empty();
}

bool ShardingChecker::CheckDevices(const ShardingForm& form) {
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t device : form.devices) {
    const bool is_there = device >= 0 && (devices_ == 0 || device < devices_);
    if (is_there && seen.insert(device).second) continue;
    context_->Add(Rule::kShardingDevice, c_, i_, device,
                  is_there     ? "twice"
                  : device < 0 ? "which can't be"
                               : absl::StrCat("of ", devices_));
    return false;
  }
  std::string fault;
  if (form.rank && form.device_count == 1) {
    fault = "splits over a single device";
  } else if (form.rank && devices_ != 0 && form.device_count != devices_) {
    fault = absl::StrCat("has ", form.device_count,
                         " devices, but the module is compiled for ", devices_);
  }
  if (fault.empty()) return true;
  context_->Add(Rule::kShardingForm, c_, i_, fault);
  return false;
}

bool ShardingChecker::Fits(const ShardingForm& form, const Shape& leaf) {
  // Of what isn't there yet, or has no rank yet, nothing is known.
  const bool any_rank =
      leaf.is_none() || leaf.is_buffer() || leaf.is_unranked();
  const int64_t rank = leaf.has_rank() ? leaf.rank() : 0;
  if (form.rank && !any_rank && (rank != *form.rank || !leaf.is_array())) {
    context_->Add(Rule::kShardingRank, c_, i_, int64_t{*form.rank}, leaf, rank);
    return false;
  }
  return CheckDevices(form);
}

}  // namespace

void CheckShardings(Context* context) {
  const int64_t devices = context->devices.sharded();
  // Many instructions share a sharding and a shape: what was fine stays fine.
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> seen;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (!context->occurs.Has(r.blob, Occurrences::kSharding)) return;
        const BlobView blob = context->data.pools->blob(r.blob);
        const absl::string_view sharding = BlobField(blob, kSharding);
        if (sharding.empty()) return;
        const auto structure = context->data.pools->shapes().structure(r.shape);
        const int64_t before = context->report().error_count();
        if (seen.contains({r.blob.value, structure.value})) return;
        ShardingChecker(context, devices, c, i).Run(sharding);
        if (context->report().error_count() == before) {
          seen.emplace(r.blob.value, structure.value);
        }
      });
}

void CheckDomains(Context* context) {
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kDomain) return;
    const BlobView blob = context->data.pools->blob(r.blob);
    for (const auto& [number, when] : kDomainShardings) {
      const std::string fault = ShardingFault(BlobField(blob, number));
      if (fault.empty()) continue;
      context->Add(Rule::kShardingForm, c, i, absl::StrCat(when, " ", fault));
    }
  });
}

void CheckModuleShardings(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto);
  fields.Append(context->data.other_fields);
  for (const auto& [number, name] : kModuleShardings) {
    for (absl::string_view sharding : fields.Texts(number)) {
      const std::string fault = ShardingFault(sharding);
      if (fault.empty()) continue;
      context->Add(Rule::kModuleSharding, kNowhere, kNowhere, name, fault);
    }
  }
}

}  // namespace structure
}  // namespace indim
