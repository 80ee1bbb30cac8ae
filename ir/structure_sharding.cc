// Shardings of instructions (XLA: HloSharding::FromProto, ::Validate). How many
// devices there are only the header of HLO text says.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/ir/field_list.h"
#include "indim/ir/structure_checks.h"

namespace indim {
namespace structure {
namespace {

// HloInstructionProto.
constexpr int kSharding = 40;
// OpSharding.
constexpr uint32_t kType = 1;
constexpr uint32_t kDimensions = 3;
constexpr uint32_t kDevices = 4;
constexpr uint32_t kParts = 5;
constexpr uint32_t kReplicateOnLast = 6;
constexpr uint32_t kLastTileDims = 8;
constexpr uint32_t kIotaDims = 9;
constexpr uint32_t kIotaPermutation = 10;
constexpr uint32_t kNamed = 14;
// OpSharding.Type.
constexpr int64_t kMaximal = 1;
constexpr int64_t kTuple = 2;
constexpr int64_t kOther = 3;

// The product of positive sizes; nullopt: one isn't, or it passes 2^62.
std::optional<int64_t> Product(const DimIndices& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || product > (int64_t{1} << 62) / size) return std::nullopt;
    product *= size;
  }
  return product;
}

// "[2,1099511627776,...]": a file can hold a million of them.
std::string SomeOf(const DimIndices& sizes) {
  constexpr size_t kMost = 8;
  return absl::StrCat(
      "[", absl::StrJoin(absl::MakeConstSpan(sizes).subspan(0, kMost), ","),
      sizes.size() > kMost ? ",...]" : "]");
}

// f(leaf) for the leaves of `shape` in pre-order, while it returns true. An
// empty tuple counts as one, as in XLA.
template <typename F>
bool ForEachLeaf(const Shape& shape, const F& f) {
  if (!shape.is_tuple() || shape.element_count() == 0) return f(shape);
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
    if (sharding.Number(kType) != kTuple || sharding.has(kNamed)) {
      const std::optional<int> rank = CheckPart(sharding);
      if (!rank) return;
      // One sharding is meant for every leaf.
      ForEachLeaf(shape_, [&](const Shape& leaf) { return Fits(*rank, leaf); });
      return;
    }
    CheckTuple(sharding);
  }

 private:
  void CheckTuple(const FieldList& sharding);
  // How many dims of an array it splits; nullopt: it is wrong, or it doesn't
  // care.
  std::optional<int> CheckPart(const FieldList& sharding);
  std::optional<int> CheckTiles(const FieldList& sharding);
  bool CheckDevices(const DimIndices& devices);
  // False: the module is compiled for another number than `count`.
  bool CheckCount(int64_t count);
  std::optional<int> CheckNamed(absl::string_view wire);
  bool Fits(int rank, const Shape& leaf) {
    if (!leaf.has_rank() || leaf.rank() == rank) return true;
    context_->Add(Rule::kShardingRank, c_, i_, int64_t{rank}, leaf,
                  int64_t{leaf.rank()});
    return false;
  }
  std::nullopt_t Malformed(absl::string_view what) {
    context_->Add(Rule::kShardingForm, c_, i_, what);
    return std::nullopt;
  }

  Context* context_;
  int64_t devices_;
  uint32_t c_;
  uint32_t i_;
  const Shape& shape_;
};

void ShardingChecker::CheckTuple(const FieldList& sharding) {
  const auto parts = sharding.Texts(kParts);
  // Of an outfeed it is about what goes out.
  if (shape_.is_none() || shape_.is_token()) return;
  // Tuples may share their elements: stop counting where it is too many.
  size_t leaves = 0;
  ForEachLeaf(shape_, [&](const Shape&) { return ++leaves <= parts.size(); });
  if (leaves != parts.size()) {
    context_->Add(
        Rule::kShardingLeaves, c_, i_, static_cast<int64_t>(parts.size()),
        leaves > parts.size() ? std::string("more") : absl::StrCat(leaves));
    return;
  }
  size_t next = 0;
  ForEachLeaf(shape_, [&](const Shape& leaf) {
    FieldList part(WireMessage::kOpSharding);
    part.Append(parts[next++]);
    if (part.Number(kType) == kTuple && !part.has(kNamed)) {
      Malformed("has a tuple inside a tuple");
      return true;
    }
    const std::optional<int> rank = CheckPart(part);
    if (rank) Fits(*rank, leaf);
    return true;
  });
}

std::optional<int> ShardingChecker::CheckPart(const FieldList& sharding) {
  if (sharding.has(kNamed)) return CheckNamed(sharding.Text(kNamed));
  const int64_t type = sharding.Number(kType);
  if (type == kOther) return CheckTiles(sharding);
  if (type == kMaximal) {
    const DimIndices devices = sharding.Numbers(kDevices);
    if (devices.size() != 1) {
      return Malformed(absl::StrCat("of one device names ", devices.size()));
    }
    CheckDevices(devices);
  }
  return std::nullopt;
}

std::optional<int> ShardingChecker::CheckTiles(const FieldList& sharding) {
  const DimIndices dims = sharding.Numbers(kDimensions);
  const DimIndices devices = sharding.Numbers(kDevices);
  const DimIndices iota = sharding.Numbers(kIotaDims);
  // One device: replicated, whatever else is said.
  if (devices.size() == 1 && iota.empty()) return std::nullopt;
  const auto is_one = [](int64_t size) { return size == 1; };
  if (!iota.empty() && std::all_of(iota.begin(), iota.end(), is_one)) {
    return std::nullopt;
  }
  const std::optional<int64_t> tiles = Product(dims);
  if (dims.empty()) return Malformed("has no tiles");
  if (!tiles) {
    return Malformed(absl::StrCat("has impossible tiles, ", SomeOf(dims)));
  }
  if (!devices.empty() && !iota.empty()) {
    return Malformed("lists devices and gives a formula for them");
  }
  std::optional<int64_t> count = static_cast<int64_t>(devices.size());
  if (!iota.empty()) {
    count = Product(iota);
    if (!count || sharding.Numbers(kIotaPermutation).size() != iota.size()) {
      return Malformed(absl::StrCat(
          "has an impossible formula for its devices, ", SomeOf(iota)));
    }
  }
  if (*count != *tiles) {
    context_->Add(Rule::kShardingTiles, c_, i_, *tiles, *count);
    return std::nullopt;
  }
  if (!CheckDevices(devices) || !CheckCount(*count)) return std::nullopt;
  size_t subgroups = sharding.Numbers(kLastTileDims).size();
  if (sharding.Number(kReplicateOnLast) != 0) {
    if (subgroups > 0) return Malformed("says twice what its last tiles are");
    subgroups = 1;
  }
  if (subgroups > dims.size()) {
    return Malformed(absl::StrCat("has ", dims.size(), " dims of tiles, but ",
                                  subgroups, " subgroups"));
  }
  return static_cast<int>(dims.size() - subgroups);
}

bool ShardingChecker::CheckDevices(const DimIndices& devices) {
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t device : devices) {
    const bool is_there = device >= 0 && (devices_ == 0 || device < devices_);
    if (is_there && seen.insert(device).second) continue;
    context_->Add(Rule::kShardingDevice, c_, i_, device,
                  is_there     ? "twice"
                  : device < 0 ? "which can't be"
                               : absl::StrCat("of ", devices_));
    return false;
  }
  return true;
}

bool ShardingChecker::CheckCount(int64_t count) {
  if (devices_ == 0 || count == devices_) return true;
  Malformed(absl::StrCat(
      "has ", count, " devices, but the module is compiled for ", devices_));
  return false;
}

// Axes must be of the mesh, each used once as a whole.
std::optional<int> ShardingChecker::CheckNamed(absl::string_view wire) {
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(wire);
  FieldList mesh(WireMessage::kMeshProto);
  mesh.Append(named.Text(2));
  const int64_t axes = static_cast<int64_t>(mesh.Texts(1).size());
  const auto in_mesh = [&](const FieldList& list, uint32_t number) {
    for (absl::string_view text : list.Texts(number)) {
      FieldList axis(WireMessage::kAxisRefProto);
      axis.Append(text);
      if (axis.Number(1) < 0 || axis.Number(1) >= axes) return false;
    }
    return true;
  };
  const auto dims = named.Texts(3);
  bool known = in_mesh(named, 4) && in_mesh(named, 5) && in_mesh(named, 7);
  for (absl::string_view text : dims) {
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.Append(text);
    known = known && in_mesh(dim, 1);
  }
  if (!known) return Malformed("names axes that its mesh doesn't have");
  if (dims.empty()) return std::nullopt;  // replicated
  return static_cast<int>(dims.size());
}

}  // namespace

void CheckShardings(Context* context) {
  const int64_t devices = PartitionedDevices(context->data);
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

}  // namespace structure
}  // namespace indim
