// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/compiled_tilings.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/tiling/sharding_tiling.h"

namespace indim::pjrt {
namespace {

absl::Status CompiledError(absl::string_view message) {
  return ErrorWithCode(
      absl::StatusCode::kInvalidArgument, Code::kPjrtDevices,
      absl::StrCat("the compiled module's shardings: ", message));
}

// The records of some fields of a message, all of which are messages. Others,
// such as the many computations, are passed over.
bool FindRecords(absl::string_view wire, absl::Span<const uint32_t> numbers,
                 std::vector<std::vector<absl::string_view>>* records) {
  records->resize(numbers.size());
  return wire_fields::AllRecords(wire, [&](const wire_fields::Record& record) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (record.tag == wire_fields::Bytes(numbers[i])) {
        (*records)[i].push_back(record.value);
      }
    }
    return true;
  });
}

// The shardings of the arrays; empty: there are none. `shardings` are those of
// the parameters or the result, of which a tuple has one for each element.
absl::StatusOr<std::vector<std::string>> CanonicalLeafShardings(
    absl::Span<const absl::string_view> shardings, size_t ports) {
  std::vector<std::string> leaves;
  for (const absl::string_view wire : shardings) {
    absl::StatusOr<std::string> sharding =
        Canonicalize(WireMessage::kOpSharding, wire);
    if (!sharding.ok()) return CompiledError(sharding.status().message());
    const auto parts = TupleParts(*sharding);
    if (!parts || parts->empty()) {
      leaves.push_back(*std::move(sharding));
    } else {
      for (const absl::string_view part : *parts) leaves.emplace_back(part);
    }
  }
  // One holds for all.
  if (leaves.size() == 1) leaves.resize(ports, leaves[0]);
  if (leaves.empty() || leaves.size() == ports) return leaves;
  return CompiledError(
      absl::StrCat("there are ", leaves.size(), " for ", ports, " arrays"));
}

absl::Status SetPorts(absl::Span<const absl::string_view> shardings,
                      int64_t partitions, std::vector<Port>* ports) {
  const absl::StatusOr<std::vector<std::string>> leaves =
      CanonicalLeafShardings(shardings, ports->size());
  if (!leaves.ok()) return leaves.status();
  for (size_t i = 0; i < leaves->size(); ++i) {
    Port& port = (*ports)[i];
    if (port.has_sharding) continue;
    absl::StatusOr<Tiling> tiling =
        TilingOfSharding((*leaves)[i], port.shape, partitions);
    if (!tiling.ok()) {
      return CompiledError(
          absl::StrCat(port.name, ": ", tiling.status().message()));
    }
    port.tiling = *std::move(tiling);
  }
  return absl::OkStatus();
}

}  // namespace

bool HasOpenTilings(const Interface& interface) {
  const auto is_open = [](const Port& port) { return !port.has_sharding; };
  return absl::c_any_of(interface.inputs, is_open) ||
         absl::c_any_of(interface.outputs, is_open);
}

absl::Status SetOpenTilings(absl::string_view compiled, bool has_config,
                            int64_t partitions, Interface* interface) {
  std::vector<std::vector<absl::string_view>> found;
  if (has_config) {
    if (!FindRecords(compiled, {field::HloModuleProtoWithConfig::kHloModule},
                     &found) ||
        found[0].empty()) {
      return CompiledError("its bytes aren't a module");
    }
    compiled = found[0].back();
    found.clear();
  }
  if (!FindRecords(compiled,
                   {field::HloModuleProto::kSpmdParametersShardings,
                    field::HloModuleProto::kSpmdOutputSharding},
                   &found)) {
    return CompiledError("its bytes aren't a module");
  }
  const absl::Status status =
      SetPorts(found[0], partitions, &interface->inputs);
  if (!status.ok()) return status;
  return SetPorts(found[1], partitions, &interface->outputs);
}

}  // namespace indim::pjrt
