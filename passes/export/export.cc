// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/export.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/missing_values.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/node_checker.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/passes/export/lay_out.h"
#include "indim/passes/export/node_expander.h"
#include "indim/passes/structure/structure.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/hlo_module/expansion.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

// Whether XLA can express the shape. False: it has an unranked part, or a dim
// with a lower bound.
bool HasXlaSpelling(const Shape& shape) {
  return !shape.is_unranked() &&
         absl::c_all_of(shape.dims(), [](Dim dim) { return dim.is_xla(); }) &&
         absl::c_all_of(shape.elements(), HasXlaSpelling);
}

// The first dim of a slice whose limit is still open: the end of a size that
// wasn't known ([0:?]), before refinement writes it. -1: none, or `r` isn't a
// slice.
int FirstOpenLimit(const ModuleData& data, const InstructionRecord& r) {
  if (r.opcode != Opcode::kSlice) return -1;
  const absl::StatusOr<Attributes> attributes = DecodeAttributes(
      r.opcode, data.pools->attribute_bytes(r.attribute_bytes));
  if (!attributes.ok()) return -1;
  const DimIndices& whole = As<SliceAttributes>(*attributes).whole;
  return whole.empty() ? -1 : static_cast<int>(whole.front());
}

// Reports why shapes can't be written: each named size of the module once, at
// its first use; unknown ranks and lower bounds once.
class SpellingErrors {
 public:
  explicit SpellingErrors(Report* report) : report_(*report) {}

  void Add(const Instruction& instruction) {
    if (!HasRanks(instruction.shape())) {
      Tell(instruction, "its rank isn't known",
           "give the parameter that it comes from a rank");
    }
    ForEachDim(instruction.shape(), [&](Dim dim) {
      if (dim.is_xla()) return;
      if (!dim.is_symbolic()) {
        Tell(instruction, "it has a dim with a lower bound",
             "give the parameter that it comes from dims that are numbers, "
             "bounds as <=8, or ?");
        return;
      }
      for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
        Tell(instruction, absl::StrCat(name, " is the name of a size"),
             absl::StrCat("give it a value (",
                          SettingText(Setting::kSizeValues, name),
                          "), or write ? in its place",
                          SettingText(Setting::kNotedSizes)));
      }
    });
  }

 private:
  static bool HasRanks(const Shape& shape) {
    return !shape.is_unranked() && absl::c_all_of(shape.elements(), HasRanks);
  }

  // Reports each reason once.
  void Tell(const Instruction& instruction, const std::string& reason,
            std::string fix) {
    if (!reasons_.insert(reason).second) return;
    Diagnostic d;
    d.code = Code::kNoXlaSpelling;
    d.args.push_back(reason);
    d.args.push_back(std::move(fix));
    report_.Add({std::move(d),
                 static_cast<uint32_t>(instruction.computation().index()),
                 static_cast<uint32_t>(instruction.index())});
  }

  Report& report_;
  std::set<std::string> reasons_;
};

// Shapes of the pools that no instruction has don't count. So this checks each
// distinct shape once, then looks for its instruction.
void CheckSpelling(const Module& module, Report* report) {
  const ShapeTable& shapes = internal::DataOf(module).pools->shapes();
  std::vector<bool> bad(shapes.size(), false);
  bool any = false;
  for (uint32_t id = 1; id < shapes.size(); ++id) {
    bad[id] = !HasXlaSpelling(shapes.shape(ShapeId{id}));
    any = any || bad[id];
  }
  const auto is_slice = [](const InstructionRecord& r) {
    return r.opcode == Opcode::kSlice;
  };
  if (!any && absl::c_none_of(internal::DataOf(module).instructions, is_slice))
    return;
  SpellingErrors errors(report);
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const InstructionRecord& r = internal::RecordOf(instruction);
      if (bad[r.shape.value]) {
        errors.Add(instruction);
      } else if (const int dim = FirstOpenLimit(internal::DataOf(module), r);
                 dim >= 0) {
        Diagnostic d;
        d.code = Code::kSliceWholeOpen;
        d.dim = dim;
        d.operand = 0;
        report->Add({std::move(d), static_cast<uint32_t>(computation.index()),
                     static_cast<uint32_t>(instruction.index())});
      }
    }
  }
}

// XLA can't compile a constant without its values.
void CheckValues(const Module& module, Report* report) {
  for (const Instruction& constant :
       ConstantsWithoutValues(internal::DataOf(module))) {
    report->Add({MissingValuesError("XLA"),
                 static_cast<uint32_t>(constant.computation().index()),
                 static_cast<uint32_t>(constant.index())});
  }
}

ExpandedModule Expand(Module module, bool verify) {
  const bool all = verify || module.computation_count() == 0;
  ExpandResult expanded = VerifyAndExpand(std::move(module), all,
                                          [](Module* prepared, Report* report) {
                                            CheckSpelling(*prepared, report);
                                            CheckValues(*prepared, report);
                                          });
  if (expanded.report.ok())
    expanded.module = LayOut(std::move(expanded.module));
  return {std::move(expanded.module), std::move(expanded.report)};
}

// --- To bytes ----------------------------------------------------------------

// Whether no spelling of a file is left that an export drops.
bool IsAsBuilt(const ModuleData& data) {
  const auto makes_signature = [](const ComputationRecord& computation) {
    return computation.program_shape.empty() &&
           computation.program_shape_when_empty == WhenEmpty::kMake;
  };
  return data.recorded && !data.names_as_read && data.ids.empty() &&
         data.opcode_names.empty() && data.operand_spellings.empty() &&
         data.root_spellings.empty() && data.entry_name.empty() &&
         data.entry_name_when_empty == WhenEmpty::kMake &&
         data.host_program_shape.empty() &&
         data.host_program_shape_when_empty == WhenEmpty::kMake &&
         data.entry < data.computations.size() &&
         absl::c_all_of(data.computations, makes_signature);
}

// Does to each node what the stages of Expand() do.
class VerifyingExpander : public Expander {
 public:
  // `verify`: as in ExportOptions.
  VerifyingExpander(Module module, bool verify)
      : module_(std::move(module)),
        data_(internal::DataOf(module_)),
        verify_(verify),
        nodes_(&data_, &result_.report),
        checker_(&data_, RulesOf(data_), {},
                 {BroadcastableMode::kLenient, &result_}),
        as_xla_(&data_, InferPolicy::kVerifier, {},
                {BroadcastableMode::kLenient, &result_}) {}

  std::optional<Expansion> Expand(uint32_t c, uint32_t i) override {
    const InstructionRecord& r = data_.Record(c, i);
    if (!r.shape || !HasXlaSpelling(data_.pools->shapes().shape(r.shape)) ||
        FirstOpenLimit(data_, r) >= 0 || LacksValues(data_, r)) {
      return std::nullopt;
    }
    checker_.Visit(c, i);
    if (!result_.ok()) return std::nullopt;
    std::optional<Expansion> expansion = nodes_.Expand(c, i);
    if (verify_ && expansion && expansion->steps.empty()) as_xla_.Visit(c, i);
    return result_.ok() ? std::move(expansion) : std::nullopt;
  }
  bool KeyOf(uint32_t c, uint32_t i, NodeKey* key) override {
    return nodes_.KeyOf(c, i, key);
  }

 private:
  const Module module_;
  const ModuleData& data_;
  const bool verify_;
  VerifyResult result_;
  NodeExpander nodes_;
  ShapeVerifier checker_;
  ShapeVerifier as_xla_;
};

// What `write(module, options)` makes: of the module itself, expanded as it is
// written, where that has no error; else of the module that the stages make, or
// their error.
template <typename Write>
auto WriteExported(Module module, const ExportOptions& options,
                   const Write& write)
    -> decltype(write(module, SerializeOptions())) {
  const auto has_structure = [&] {
    const StructureResult structure = VerifyStructure(module);
    return structure.in_order && structure.report.ok();
  };
  if (IsAsBuilt(internal::DataOf(module)) &&
      (!options.verify || has_structure())) {
    SerializeOptions serialize;
    serialize.expander =
        std::make_shared<VerifyingExpander>(module, options.verify);
    auto written = write(module, serialize);
    if (written.ok()) return written;
  }
  const absl::StatusOr<Module> exported =
      ExportModule(std::move(module), options);
  if (!exported.ok()) return exported.status();
  return write(*exported, SerializeOptions());
}

}  // namespace

ExpandedModule ExpandForXla(Module module) {
  return Expand(std::move(module), /*verify=*/true);
}

absl::StatusOr<Module> ExportModule(Module module,
                                    const ExportOptions& options) {
  ExpandedModule expanded = Expand(std::move(module), options.verify);
  if (!expanded.report.ok()) return ToStatus(expanded.module, expanded.report);
  return std::move(expanded.module);
}

absl::StatusOr<std::string> ExportHloModuleProto(Module module,
                                                 const ExportOptions& options) {
  return WriteExported(std::move(module), options, SerializeModule);
}

absl::Status WriteHloModuleProto(const Module& module, absl::string_view path,
                                 const ProtoFileOptions& options) {
  if (options.external_min_bytes.has_value()) {
    const absl::StatusOr<Module> exported = ExportModule(module);
    if (!exported.ok()) return exported.status();
    return WriteProtoFile(*exported, ModuleWrapper(), path, options);
  }
  const absl::StatusOr<BytePieces> pieces =
      WriteExported(module, ExportOptions(),
                    [&](const Module& exported, SerializeOptions serialize) {
                      serialize.allow_over_2gib = options.allow_over_2gib;
                      return SerializeInPieces(exported, serialize);
                    });
  if (!pieces.ok()) return pieces.status();
  return WritePieces(path, *pieces);
}

}  // namespace indim
