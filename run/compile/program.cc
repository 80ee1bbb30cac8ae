// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/program.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/passes/export/export.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/run/compile/compiler_form.h"
#include "indim/run/compile/flat_border.h"
#include "indim/run/compile/listed_groups.h"
#include "indim/run/compile/port_tilings.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim::pjrt {
namespace {

bool HasShardyNotes(absl::string_view frontend_attributes) {
  return !frontend_attributes.empty() &&
         !FrontendAttributesWithPrefix(frontend_attributes, kSdyPrefix).empty();
}

bool IsOfShardy(const Instruction& i) {
  if (i.opcode() == Opcode::kCustomCall &&
      absl::StartsWith(As<CustomCallAttributes>(i.attributes()).target,
                       kSdyPrefix)) {
    return true;
  }
  return HasShardyNotes(internal::FieldsOf(i).Text(
      field::HloInstructionProto::kFrontendAttributes));
}

bool HasShardings(const Module& module) {
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) {
      if (HasSharding(i)) return true;
    }
  }
  return false;
}

}  // namespace

bool HasSharding(const Instruction& i) {
  return internal::FieldsOf(i).has(field::HloInstructionProto::kSharding);
}

bool UsesShardy(const Module& module) {
  FieldList fields(WireMessage::kHloModuleProto,
                   internal::DataOf(module).other_fields);
  if (HasShardyNotes(fields.Text(field::HloModuleProto::kFrontendAttributes))) {
    return true;
  }
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) {
      if (IsOfShardy(i)) return true;
    }
  }
  return false;
}

CompileOptions OptionsFor(const Module& module, CompileOptions options) {
  const DeviceCounts counts = ReadDeviceCounts(internal::DataOf(module).config);
  const bool shardy = UsesShardy(module);
  const bool is_said =
      options.replicas > 0 || options.partitions > 0 || counts.known();
  if (!is_said && options.devices > 1) {
    const bool is_cut = shardy || HasShardings(module);
    (is_cut ? options.partitions : options.replicas) = options.devices;
  }
  if (options.replicas == 0) options.replicas = counts.replicas;
  if (options.partitions == 0) options.partitions = counts.partitions;
  if (options.partitioner == Partitioner::kByModule) {
    options.partitioner = shardy                   ? Partitioner::kShardy
                          : options.partitions > 1 ? Partitioner::kSpmd
                                                   : Partitioner::kNone;
  }
  return options;
}

absl::StatusOr<Program> ProgramOf(const Module& module, int64_t partitions) {
  absl::StatusOr<Module> exported = ExportModule(module);
  if (!exported.ok()) return exported.status();
  exported = CompilerForm(*std::move(exported));
  if (!exported.ok()) return exported.status();
  exported = WithListedGroups(*std::move(exported));
  if (!exported.ok()) return exported.status();
  absl::StatusOr<Interface> interface = InterfaceOf(*exported);
  if (!interface.ok()) return interface.status();
  const absl::Status tilings = SetTilings(*exported, partitions, &*interface);
  if (!tilings.ok()) return tilings;
  Program program;
  program.format = "hlo";
  program.interface = *std::move(interface);
  if (!HasFlatBorder(*exported)) {
    exported = WithFlatBorder(*exported);
    if (!exported.ok()) return exported.status();
  }
  program.tupled =
      absl::c_any_of(exported->entry().signature().parameters,
                     [](const Shape& shape) { return shape.is_tuple(); });
  absl::StatusOr<std::string> code = SerializeModule(*exported);
  if (!code.ok()) return code.status();
  program.code = *std::move(code);
  return program;
}

}  // namespace indim::pjrt
