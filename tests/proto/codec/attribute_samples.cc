// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proto/codec/attribute_samples.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {
namespace {

// --- Equality ----------------------------------------------------------------

// Whether two structs or values have equal members.
class Same {
 public:
  bool operator()(const NoAttributes&, const NoAttributes&) const {
    return true;
  }
#define INDIM_STRUCT(type, message)                     \
  bool operator()(const type& a, const type& b) const { \
    (void)a, (void)b;                                   \
    return true
#define INDIM_ATTRIBUTES(name) INDIM_STRUCT(name##Attributes, )
#define INDIM_MEMBER(type, member, text, ...) &&(*this)(a.member, b.member)
#define INDIM_SHARED_MEMBER INDIM_MEMBER
#define INDIM_END \
  ;               \
  }
#include "indim/shape/ops/attribute_members.def"

  // The formula and the mesh of groups are structs, the rest are numbers.
  bool operator()(const ReplicaGroups& a, const ReplicaGroups& b) const {
    return a.groups == b.groups && a.iota_groups == b.iota_groups &&
           a.iota_group_size == b.iota_group_size && (*this)(a.iota, b.iota) &&
           (*this)(a.mesh, b.mesh);
  }
  template <typename T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a && b ? (*this)(*a, *b) : a.has_value() == b.has_value();
  }
  template <typename T>
  bool operator()(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

}  // namespace

bool SameAttributes(const Attributes& a, const Attributes& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& held) {
        return Same()(held, std::get<std::decay_t<decltype(held)>>(b));
      },
      a);
}

namespace {

// --- Random structs ---------------------------------------------------------

int64_t RandomInt(Random* random) {
  switch (Below(5, random)) {
    case 0:
      return 0;
    case 1:
      return -static_cast<int64_t>(Below(5, random));
    case 2:
      return static_cast<int64_t>((*random)());
    default:
      return static_cast<int64_t>(Below(300, random));
  }
}
bool RandomBool(Random* random) { return OneIn(2, random); }
DimIndices RandomDims(Random* random) {
  DimIndices dims;
  for (uint64_t n = Below(5, random); n > 0; --n)
    dims.push_back(RandomInt(random));
  return dims;
}
std::string RandomText(Random* random) {
  static const char* const kTexts[] = {"", "a", "kLoop", "\xc3\xa4#"};
  return kTexts[Below(4, random)];
}

// Fills a struct with members that the wire can say.
class Filler {
 public:
  explicit Filler(Random* random) : random_(random) {}

  void operator()(NoAttributes*) const {}
#define INDIM_STRUCT(type, message) \
  void operator()(type* a) const {  \
    (void)a;
#define INDIM_ATTRIBUTES(name) INDIM_STRUCT(name##Attributes, )
#define INDIM_MEMBER(type, member, text, how, message, name) \
  Fill##how(&a->member);                                     \
  Fit(WireMessage::k##message, field::message::k##name, &a->member);
#define INDIM_FIELDS(...) FillWhole(a);
#define INDIM_END }
#include "indim/shape/ops/attribute_members.def"

 private:
  void FillField(int64_t* v) const { *v = RandomInt(random_); }
  void FillField(bool* v) const { *v = RandomBool(random_); }
  void FillField(float* v) const {
    *v = static_cast<float>(RandomInt(random_)) / 8;
  }
  void FillField(DimIndices* v) const { *v = RandomDims(random_); }
  void FillField(std::string* v) const { *v = RandomText(random_); }
  void FillField(Shape* v) const {
    static const char* const kShapes[] = {"f32[]", "s8[2,3]{0,1}", "(f32[2])",
                                          "token[]", "bf16[<=4,?]{1,0}"};
    *v = *ParseShape(kShapes[Below(5, random_)]);
  }
  void FillField(Precision* v) const { FillEnum(v); }
  void FillField(std::pair<int64_t, int64_t>* v) const {
    *v = {RandomInt(random_), RandomInt(random_)};
  }
  void FillField(BroadcastSpec* v) const {
    FillEnum(&v->rule);
    if (RandomBool(random_)) v->dimensions = RandomDims(random_);
    if (RandomBool(random_)) v->axis = RandomInt(random_);
  }
  void FillField(ReplicaGroups* v) const {
    if (OneIn(3, random_)) {
      // Devices in the order of their numbers, backwards, or transposed.
      const int64_t size = 1 + static_cast<int64_t>(Below(9, random_));
      Mesh& mesh = v->mesh.emplace().mesh;
      mesh.axes = {{RandomText(random_), 2}, {"b", size}};
      if (OneIn(3, random_)) {
        for (int64_t i = 2 * size; i > 0; --i) {
          mesh.device_ids.push_back(i - 1);
        }
      } else if (RandomBool(random_)) {
        mesh.order = IotaTransform{{size, 2}, {1, 0}};
      }
      if (RandomBool(random_)) v->mesh->axes.push_back({1, {}});
      if (RandomBool(random_)) {
        v->mesh->axes.push_back({0, AxisRef::Factor{1, 2}});
      }
      CountMeshGroups(v);
    } else if (RandomBool(random_)) {
      FillCount(&v->iota_groups);
      FillCount(&v->iota_group_size);
      v->iota = {RandomDims(random_), {1, 0}};
      v->iota.reshape_dims.push_back(2);
    } else {
      for (uint64_t n = Below(4, random_); n > 0; --n) {
        const DimIndices ids = RandomDims(random_);
        v->groups.emplace_back(ids.begin(), ids.end());
      }
    }
  }
  template <typename T>
  void FillField(std::optional<T>* v) const {
    if (RandomBool(random_)) FillField(&v->emplace());
  }
  template <typename T>
  void FillField(std::vector<T>* v) const {
    v->resize(Below(4, random_));
    for (T& element : *v) FillField(&element);
  }
  template <typename T>
  void FillField(T* v) const {
    (*this)(v);
  }
  template <typename T>
  void FillPart(T* v) const {
    (*this)(v);
  }
  template <typename T>
  void FillAlways(T* v) const {
    (*this)(v);
  }
  template <typename T>
  void FillRequired(T* v) const {
    (*this)(v);
  }
  template <typename T>
  void FillEnum(T* v) const {
    const auto words = WordsOf(v).words;
    *v = static_cast<T>(words[Below(words.size(), random_)].number);
  }
  template <typename T>
  void FillOpenEnum(T* v) const {
    FillEnum(v);
  }
  template <typename T>
  void FillSpelled(T* v) const {
    if (RandomBool(random_)) FillEnum(v);
  }
  // Without kTotal, for which HLO text has another spelling.
  void FillComparison(ComparisonType* v) const { FillSpelled(v); }
  void FillCount(int64_t* v) const {
    *v = 1 + static_cast<int64_t>(Below(4, random_));
  }
  void FillFactor(int64_t* v) const { FillCount(v); }
  void FillChannel(int64_t* v) const { *v = RandomInt(random_); }
  // What the field can't hold is changed to what it can.
  template <typename T>
  void Fit(WireMessage message, uint32_t number, T* v) const {
    const WireKind kind = GetWireMessageInfo(message).Find(number)->kind;
    if constexpr (std::is_same_v<T, int64_t>) {
      if (kind == WireKind::kInt32) *v = static_cast<int32_t>(*v);
      if (kind == WireKind::kEnum) *v = static_cast<int64_t>(Below(3, random_));
    } else if constexpr (std::is_same_v<T, std::optional<int64_t>>) {
      if (*v) Fit(message, number, &**v);
    } else if constexpr (std::is_same_v<T, std::string>) {
      // A sharding of type MAXIMAL or MANUAL.
      if (kind == WireKind::kMessage && !v->empty())
        *v = OneIn(2, random_) ? "\x08\x01" : "\x08\x04";
    }
  }
  void FillWhole(SliceAttributes* a) const {
    for (uint64_t n = Below(4, random_); n > 0; --n) {
      const bool whole = RandomBool(random_);
      if (whole) a->whole.push_back(static_cast<int64_t>(a->starts.size()));
      a->starts.push_back(RandomInt(random_));
      a->limits.push_back(whole ? 0 : RandomInt(random_));
      a->strides.push_back(RandomInt(random_));
    }
  }

  Random* random_;
};

template <size_t... kIndex>
Attributes RandomOfKind(size_t kind, Random* random,
                        std::index_sequence<kIndex...>) {
  Attributes attributes;
  (void)((kind == kIndex &&
          (Filler(random)(&attributes.emplace<kIndex>()), true)) ||
         ...);
  return attributes;
}
}  // namespace

Attributes RandomAttributes(Opcode opcode, Random* random) {
  Attributes attributes = RandomOfKind(
      static_cast<size_t>(Info(opcode).attributes), random,
      std::make_index_sequence<std::variant_size_v<AttributesVariant>>());
  if (opcode == Opcode::kRaggedDot) {
    DotAttributes& dot = std::get<DotAttributes>(attributes);
    dot.lhs_ragged_dims = RandomDims(random);
    dot.rhs_group_dims = RandomDims(random);
  }
  return attributes;
}

}  // namespace indim
