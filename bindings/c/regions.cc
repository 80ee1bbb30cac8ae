// SPDX-License-Identifier: Apache-2.0
// Regions: computations that are recorded inside another one.

#include "indim/builder/regions.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"
#include "indim/builder/region.h"

static_assert(INDIM_CAPTURE_TUPLE ==
              static_cast<int>(indim::CaptureForm::kTuple));

namespace indim::capi {
namespace {

using internal::Recorder;
using internal::Regions;

indim_error* Begin(indim_builder* builder, absl::string_view name,
                   absl::Span<const Shape> shapes, CaptureForm form,
                   Caller caller, indim_region** region,
                   indim_value* arguments) {
  Recorder& recorder = *builder->recorder();
  const Recorder::Mark mark = recorder.Here();
  auto made = std::make_unique<indim_region>();
  made->region = Regions(&recorder).Begin(name, shapes, form, caller);
  if (recorder.FailedSince(mark) && !builder->collect) {
    made.reset();  // drops the region
    return TakeErrors(builder, mark);
  }
  for (const Op argument : made->region.arguments()) {
    builder->values.push_back(argument);
    *arguments++ = static_cast<indim_value>(builder->values.size() - 1);
  }
  *region = made.release();
  return nullptr;
}

// A call of regions that was read.
struct RegionCall {
  Opcode opcode;
  OpList operands;
  const KnownAttributes* attributes = nullptr;
  const Shape* result = nullptr;
  absl::Span<indim_region* const> regions;
  Caller caller;
};

indim_error* CheckCounts(const RegionCall& call, size_t operands,
                         size_t regions) {
  if (call.regions.size() == regions && call.operands.size() == operands) {
    return nullptr;
  }
  return Misuse(absl::StrCat(
      Name(call.opcode), " takes ", operands, " operands and ", regions,
      " regions, not ", call.operands.size(), " and ", call.regions.size()));
}

indim_error* CheckCall(const RegionCall& call) {
  switch (call.opcode) {
    case Opcode::kWhile:
      return CheckCounts(call, call.operands.size(), 2);
    case Opcode::kConditional:
      return CheckCounts(call, 1, call.regions.size());
    case Opcode::kCall:
    case Opcode::kMap:
      return CheckCounts(call, call.operands.size(), 1);
    default:
      return nullptr;
  }
}

// Takes over the regions.
std::vector<Op> Record(Recorder* recorder, const RegionCall& call) {
  const auto take = [&](size_t i) {
    return std::move(call.regions[i]->region);
  };
  switch (call.opcode) {
    case Opcode::kWhile: {
      Region condition = take(0);
      return Regions(recorder).While(call.operands, 0, std::move(condition),
                                     take(1), call.caller);
    }
    case Opcode::kConditional: {
      std::vector<Region> branches;
      for (size_t i = 0; i < call.regions.size(); ++i) {
        branches.push_back(take(i));
      }
      const Shape* const selector = recorder->ShapeOf(call.operands[0]);
      const bool is_pred = selector != nullptr && branches.size() == 2 &&
                           selector->element_type() == ElementType::kPred;
      return Regions(recorder).Conditional(
          call.operands[0], is_pred ? ElementType::kPred : ElementType::kS32,
          absl::MakeSpan(branches), call.caller);
    }
    case Opcode::kCall:
      return Regions(recorder).Call(take(0), call.operands, call.caller);
    case Opcode::kMap: {
      static const Attributes* const kNone = new Attributes();
      const auto& dimensions = As<DimensionsAttributes>(
          call.attributes == nullptr ? *kNone
                                     : call.attributes->given.attributes);
      return {Regions(recorder).Map(take(0), call.operands,
                                    dimensions.dimensions, call.caller)};
    }
    default: {
      std::vector<Callee> callees;
      const bool once = Info(call.opcode).callee_form == CalleeForm::kApplied;
      for (size_t i = 0; i < call.regions.size(); ++i) {
        callees.push_back(
            Regions(recorder).CalleeOf(take(i), call.caller, once));
      }
      return {RecordCall(recorder, call.opcode, call.operands, call.attributes,
                         call.result, callees, call.caller)};
    }
  }
}

indim_error* ReadRegions(absl::Span<indim_region* const> regions) {
  if (regions.empty()) return Misuse("no region is given");
  for (size_t i = 0; i < regions.size(); ++i) {
    if (regions[i] == nullptr) return NullArgument("a region");
    if (!regions[i]->ended) {
      return Misuse(
          absl::StrCat("region ", i, " hasn't ended, or a call has taken it"));
    }
    for (size_t j = 0; j < i; ++j) {
      if (regions[i] == regions[j]) return Misuse("a region is given twice");
    }
  }
  return nullptr;
}

indim_error* AddRegions(indim_builder* builder, const indim_op& op,
                        absl::Span<indim_region* const> regions,
                        indim_value* values, size_t capacity, size_t* count) {
  RegionCall call;
  if (indim_error* error = FindOpcode(op, &call.opcode)) return error;
  if (!IsList(op.operands, op.operand_count)) return NullArgument("operands");
  if (op.callee_count != 0) return Misuse("both callees and regions are given");
  if (indim_error* error = FindOps(
          *builder, List(op.operands, op.operand_count), &call.operands)) {
    return error;
  }
  if (indim_error* error = KnowAttributes(builder, call.opcode, op.attributes,
                                          &call.attributes)) {
    return error;
  }
  if (op.result != nullptr) call.result = &op.result->shape;
  const std::optional<Caller> caller = CallerOf(*builder, op.location);
  if (!caller) return NoSuchFile(op.location);
  call.caller = *caller;
  if (indim_error* error = ReadRegions(regions)) return error;
  call.regions = regions;
  if (indim_error* error = CheckCall(call)) return error;
  Recorder& recorder = *builder->recorder();
  const Recorder::Mark mark = recorder.Here();
  for (indim_region* region : regions) region->ended = false;
  return GiveResults(builder, mark, Record(&recorder, call), values, capacity,
                     count);
}

}  // namespace
extern "C" {

indim_error* indim_begin_region(indim_builder* builder, const char* name,
                                size_t name_size,
                                const indim_shape* const* shapes, size_t count,
                                int32_t capture, indim_location location,
                                indim_region** region, indim_value* arguments) {
  return Guard(
      {{"builder", builder},
       {"name", name, name_size},
       {"shapes", shapes, count},
       {"arguments", arguments, count},
       {"region", region}},
      [&] {
        if (capture < INDIM_CAPTURE_NONE || capture > INDIM_CAPTURE_TUPLE) {
          return Misuse(absl::StrCat(capture, " is no indim_capture"));
        }
        std::vector<const Shape*> pointers;
        if (!ShapesOf(shapes, count, &pointers)) return NullArgument("a shape");
        std::vector<Shape> owned;
        for (const Shape* shape : pointers) owned.push_back(*shape);
        const auto caller = CallerOf(*builder, location);
        if (!caller) return NoSuchFile(location);
        return Begin(builder, Text(name, name_size), owned,
                     static_cast<CaptureForm>(capture), *caller, region,
                     arguments);
      });
}

indim_error* indim_end_region(indim_builder* builder, indim_region* region,
                              const indim_value* results, size_t count,
                              indim_location location) {
  return Guard(
      {{"builder", builder}, {"region", region}, {"results", results, count}},
      [&] {
        if (!internal::Regions(builder->recorder())
                 .IsInnermost(region->region)) {
          return Misuse("the region isn't the innermost one that is open here");
        }
        OpList ops;
        if (indim_error* error =
                FindOps(*builder, List(results, count), &ops)) {
          return error;
        }
        const auto caller = CallerOf(*builder, location);
        if (!caller) return NoSuchFile(location);
        // A region that ends with an error can't end again.
        for (size_t i = 0; i < ops.size(); ++i) {
          if (!builder->collect && !IsGood(*builder, ops[i])) {
            return Misuse(absl::StrCat("result ", i, ", value ", results[i],
                                       ", can't be used here"));
          }
        }
        indim_error* const error =
            ChangeBuilder(builder, [&](internal::Recorder& recorder) {
              internal::Regions(&recorder).End(&region->region, ops, *caller);
            });
        if (error != nullptr) return error;
        region->ended = true;
        return kOk;
      });
}

indim_error* indim_drop_region(indim_builder* builder, indim_region* region) {
  return Guard({{"builder", builder}, {"region", region}}, [&] {
    internal::Recorder& recorder = *builder->recorder();
    const internal::Recorder::Mark mark = recorder.Here();
    internal::Regions(&recorder).Drop(&region->region);
    recorder.TakeErrors(mark);
    return kOk;
  });
}

void indim_region_release(indim_region* region) { delete region; }

indim_error* indim_add_regions(indim_builder* builder, const indim_op* op,
                               indim_region* const* regions,
                               size_t region_count, indim_value* values,
                               size_t capacity, size_t* count) {
  return GuardOptions({{"builder", builder},
                       {"op", op},
                       {"regions", regions, region_count},
                       {"values", values, capacity}},
                      "indim_op", op, [&](const indim_op& given) {
                        return AddRegions(
                            builder, given,
                            absl::MakeConstSpan(regions, region_count), values,
                            capacity, count);
                      });
}

}  // extern "C"
}  // namespace indim::capi
