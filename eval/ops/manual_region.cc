// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/manual_region.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/tiling/array_box.h"
#include "indim/sharding/tiling/sharding_tiling.h"
#include "indim/sharding/tiling/tiling.h"

namespace indim {
namespace {

// The bytes of a sharding that says replicated are none.
std::optional<std::string> ShardingOf(const FieldList& fields) {
  if (!fields.has(field::HloInstructionProto::kSharding)) return std::nullopt;
  return std::string(fields.Text(field::HloInstructionProto::kSharding));
}

// How the whole arrays of `shapes` are cut at the border that the evaluation
// is at.
class Border {
 public:
  // `is_entry`: the operands are whole; else the results are.
  Border(Evaluation* e, bool is_entry) : e_(*e), is_entry_(is_entry) {
    const Instruction* const at = e->instruction();
    if (at == nullptr) return;
    const FieldList fields = internal::FieldsOf(*at);
    const std::string attributes(
        fields.Text(field::HloInstructionProto::kFrontendAttributes));
    const std::optional<std::string> shardings = FrontendAttribute(
        attributes, is_entry ? kSdyInShardings : kSdyOutShardings);
    if (shardings) {
      shardy_ = ShardyShardings(*shardings);
      is_shardy_ = true;
      meshes_ = ShardyMeshes(internal::ModuleAccess::Data(*at).other_fields);
      axes_ = ShardyManualAxes(
          FrontendAttribute(attributes, kSdyManualAxes).value_or(""));
    } else if (at->operand_count() > 0) {
      // Outside stands how the whole is cut, inside which axes do it.
      const FieldList other = internal::FieldsOf(at->operand(0));
      sharding_ = ShardingOf(is_entry ? other : fields);
      axes_ = ManualAxesOfSharding(
          ShardingOf(is_entry ? fields : other).value_or(""));
    }
  }

  // Of whole array `i`, of `shape`. nullopt after an error.
  std::optional<Tiling> TilingOf(size_t i, const Shape& shape) const {
    const int64_t partitions = e_.devices().partitions;
    absl::StatusOr<Tiling> tiling = Tiling();
    if (is_shardy_ && i < shardy_.size()) {
      tiling = TilingOfShardy(shardy_[i], meshes_, shape, partitions, &axes_);
    } else if (!is_shardy_ && sharding_) {
      tiling = TilingOfSharding(*sharding_, shape, partitions,
                                axes_.empty() ? nullptr : &axes_);
    } else {
      return e_.Fail(absl::StrCat("no sharding tells how ",
                                  is_entry_ ? "operand " : "result ", i,
                                  " is cut"));
    }
    if (tiling.ok()) return *std::move(tiling);
    return e_.Fail(std::string(tiling.status().message()));
  }

 private:
  Evaluation& e_;
  const bool is_entry_;
  bool is_shardy_ = false;
  std::vector<std::string> shardy_;
  std::string meshes_;
  std::vector<std::string> axes_;
  std::optional<std::string> sharding_;
};

bool ExpectStatic(Evaluation& e, int i, const Value& array) {
  if (!array.is_array()) {
    e.FailType(i);
    return false;
  }
  if (array.memory() == nullptr) return true;
  e.Fail("sizes that are known only at run time aren't cut");
  return false;
}

// Fails: by its sharding a part of an array of `whole` is `tile`, but it is
// `part`.
std::nullopt_t FailPart(Evaluation& e, const Shape& whole, const Shape& tile,
                        const Shape& part) {
  return e.Fail(absl::StrCat("by its sharding a part of ",
                             whole.WithoutLayout().ToString(), " is ",
                             tile.WithoutLayout().ToString(), ", not ",
                             part.WithoutLayout().ToString()));
}

// The part of `whole` on this device.
std::optional<Value> PartOf(Evaluation& e, const Tiling& tiling,
                            const Value& whole) {
  if (tiling.is_whole()) return whole;
  const Shape tile = TileShape(tiling, whole.shape());
  const int64_t partition = e.devices().partition(e.device());
  ArrayMaker part;
  if (!e.NewArray(whole.type(), SizesOf(tile), &part)) return std::nullopt;
  const size_t width = static_cast<size_t>(whole.width());
  ForEachTileRun(
      tiling, whole.shape(), tiling.tile_of[static_cast<size_t>(partition)],
      [&](size_t in_array, size_t in_tile, size_t bytes) {
        for (size_t i = 0; i < bytes; i += width) {
          part.Copy(static_cast<int64_t>((in_tile + i) / width), whole,
                    static_cast<int64_t>((in_array + i) / width));
        }
      });
  return std::move(part).Finish();
}

// The array of `shape` whose parts are operand `i` of the members; of copies
// of a part those that go with member `m`.
std::optional<Value> WholeOf(const Exchange& x, const Tiling& tiling, size_t i,
                             const Shape& shape, size_t m) {
  if (tiling.is_whole()) return x.operand(m, i);
  Evaluation& e = x.e();
  const Shape tile = TileShape(tiling, shape);
  ArrayMaker whole;
  if (!e.NewArray(shape.element_type(), SizesOf(shape), &whole)) {
    return std::nullopt;
  }
  const size_t width = static_cast<size_t>(ElementBytes(shape.element_type()));
  for (size_t from = 0; from < x.size(); ++from) {
    if (tiling.copy_of[from] != tiling.copy_of[m]) continue;
    const Value& part = x.operand(from, i);
    if (part.type() != shape.element_type() || part.sizes() != SizesOf(tile)) {
      return FailPart(e, shape, tile, part.shape());
    }
    ForEachTileRun(tiling, shape, tiling.tile_of[from],
                   [&](size_t in_array, size_t in_tile, size_t bytes) {
                     for (size_t k = 0; k < bytes; k += width) {
                       whole.Copy(static_cast<int64_t>((in_array + k) / width),
                                  part,
                                  static_cast<int64_t>((in_tile + k) / width));
                     }
                   });
  }
  return std::move(whole).Finish();
}

// The recorded shapes of the results, one for each operand.
std::optional<std::vector<Shape>> ResultShapes(Evaluation& e) {
  const Shape* const declared = e.declared();
  std::vector<Shape> shapes;
  if (declared != nullptr && declared->is_tuple()) {
    shapes.assign(declared->elements().begin(), declared->elements().end());
  } else if (declared != nullptr) {
    shapes.push_back(*declared);
  }
  if (static_cast<int>(shapes.size()) != e.operand_count()) {
    return e.Fail("it needs a recorded result for each operand");
  }
  for (const Shape& shape : shapes) {
    if (!shape.has_rank() || !shape.is_static()) {
      return e.Fail("the sizes of its results aren't known");
    }
  }
  return shapes;
}

// The recorded shape of result `i`; null: it isn't known.
const Shape* StaticResult(const Evaluation& e, size_t i) {
  const Shape* shape = e.declared();
  if (shape != nullptr && shape->is_tuple()) {
    shape = i < shape->elements().size() ? &shape->elements()[i] : nullptr;
  }
  return shape != nullptr && shape->has_rank() && shape->is_static() ? shape
                                                                     : nullptr;
}

std::optional<Value> BareOrTupleAsDeclared(Evaluation& e,
                                           std::vector<Value> values) {
  const Shape* const declared = e.declared();
  const bool is_tuple =
      declared != nullptr ? declared->is_tuple() : values.size() != 1;
  if (is_tuple) return TupleOf(e, std::move(values));
  return values[0];
}

}  // namespace

std::optional<Value> EnterManualRegion(Evaluation& e, Interpreter& machine) {
  if (e.devices().partitions <= 1) return LeaveManualRegion(e, machine);
  const Border border(&e, /*is_entry=*/true);
  std::vector<Value> parts;
  for (int i = 0; i < e.operand_count(); ++i) {
    const Value& whole = e.operand(i);
    if (!ExpectStatic(e, i, whole)) return std::nullopt;
    const std::optional<Tiling> tiling =
        border.TilingOf(static_cast<size_t>(i), whole.shape());
    if (!tiling) return std::nullopt;
    std::optional<Value> part = PartOf(e, *tiling, whole);
    if (!part) return std::nullopt;
    const Shape* const said = StaticResult(e, static_cast<size_t>(i));
    if (said != nullptr && SizesOf(*said) != part->sizes()) {
      return FailPart(e, whole.shape(), part->shape(), *said);
    }
    parts.push_back(*std::move(part));
  }
  if (parts.empty()) return TupleOf(e, {});
  return BareOrTupleAsDeclared(e, std::move(parts));
}

std::optional<Value> LeaveManualRegion(Evaluation& e, Interpreter&) {
  if (e.devices().partitions > 1) {
    return e.Fail("it is in a computation that devices run one by one");
  }
  std::vector<Value> values = AllOperands(e);
  if (values.empty()) return TupleOf(e, {});
  return BareOrTupleAsDeclared(e, std::move(values));
}

bool ExchangeManualResults(Exchange* x) {
  Evaluation& e = x->e();
  if (!x->ExpectAlike(x->operand_count())) return false;
  const std::optional<std::vector<Shape>> shapes = ResultShapes(e);
  if (!shapes) return false;
  const Border border(&e, /*is_entry=*/false);
  std::vector<Tiling> tilings;
  bool is_same = true;
  for (size_t i = 0; i < shapes->size(); ++i) {
    std::optional<Tiling> tiling = border.TilingOf(i, (*shapes)[i]);
    if (!tiling) return false;
    for (const int64_t copy : tiling->copy_of) is_same = is_same && copy == 0;
    is_same = is_same && !tiling->is_whole();
    tilings.push_back(*std::move(tiling));
  }
  for (size_t m = 0; m < (is_same ? 1 : x->size()); ++m) {
    std::vector<Value> wholes;
    for (size_t i = 0; i < shapes->size(); ++i) {
      std::optional<Value> whole = WholeOf(*x, tilings[i], i, (*shapes)[i], m);
      if (!whole) return false;
      wholes.push_back(*std::move(whole));
    }
    std::optional<Value> result = BareOrTupleAsDeclared(e, std::move(wholes));
    if (!result) return false;
    if (is_same) {
      x->SetAll(*result);
    } else {
      x->Set(m, *std::move(result));
    }
  }
  return true;
}

}  // namespace indim
