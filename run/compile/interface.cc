// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/interface.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/run/abi/buffer_type.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::pjrt {
namespace {

absl::Status BorderError(absl::string_view what, const std::string& name,
                         const Shape& shape, absl::string_view why) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtBorder,
                       absl::StrCat(what, " ", name, " ", shape.ToString(),
                                    " can't be a buffer: ", why));
}

constexpr absl::string_view kParameter = "parameter";

// "" when buffers can hold arrays of `shape`, else why not. Buffers from the
// host say no sizes of run time, and XLA would read some behind the elements.
std::string WhyNoBuffer(absl::string_view what, const Shape& shape) {
  if (!shape.is_array()) return "it is no array";
  if (!shape.has_rank()) return "its rank isn't known";
  for (const Dim dim : shape.dims()) {
    if (dim.is_static()) continue;
    if (dim.is_bounded() && what == kParameter) {
      return "inputs are of static sizes; to fix: take the whole bound and, in "
             "s32, the size, which set-dimension-size gives it in the module";
    }
    if (dim.is_bounded()) continue;
    return absl::StrCat("a size isn't known (",
                        SettingText(Setting::kSizeValues), " gives n a value)");
  }
  if (BufferType(shape.element_type()) == 0) {
    return absl::StrCat("buffers have no ", Name(shape.element_type()));
  }
  return "";
}

absl::Status AddPorts(absl::string_view what, const std::string& name,
                      const Shape& shape, std::vector<Port>* ports) {
  if (shape.is_token()) return absl::OkStatus();
  if (shape.is_tuple()) {
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      const absl::Status status = AddPorts(what, absl::StrCat(name, ".", i),
                                           shape.elements()[i], ports);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  const std::string why = WhyNoBuffer(what, shape);
  if (!why.empty()) return BorderError(what, name, shape, why);
  ports->push_back({name, shape.WithoutLayout()});
  return absl::OkStatus();
}

absl::Status AddResults(const Instruction& root, std::vector<Port>* ports) {
  if (root.opcode() != Opcode::kTuple) {
    return AddPorts("result", root.text_name(), root.shape(), ports);
  }
  for (int i = 0; i < root.operand_count(); ++i) {
    const Instruction element = root.operand(i);
    const absl::Status status =
        AddPorts("result", element.text_name(), element.shape(), ports);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void AddLeaves(const Literal& value, std::vector<Literal>* leaves) {
  if (value.shape().is_token()) return;
  if (!value.shape().is_tuple()) {
    leaves->push_back(value);
    return;
  }
  for (const Literal& element : value.elements()) AddLeaves(element, leaves);
}

}  // namespace

absl::StatusOr<Interface> InterfaceOf(const Module& module) {
  if (module.computation_count() == 0) {
    return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kPjrtBorder,
                         "the module has no computation");
  }
  const Computation entry = module.entry();
  Interface interface;
  interface.parameters = entry.signature().parameters;
  std::vector<std::string> names(interface.parameters.size());
  for (const Instruction i : entry.instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const int64_t number = As<ParameterAttributes>(i.attributes()).number;
    if (number < 0 || static_cast<size_t>(number) >= names.size()) continue;
    names[static_cast<size_t>(number)] = i.text_name();
  }
  for (size_t i = 0; i < names.size(); ++i) {
    interface.parameters[i] = interface.parameters[i].WithoutLayout();
    const absl::Status status = AddPorts(
        kParameter, names[i], interface.parameters[i], &interface.inputs);
    if (!status.ok()) return status;
  }
  interface.result = entry.root().shape().WithoutLayout();
  const absl::Status status = AddResults(entry.root(), &interface.outputs);
  if (!status.ok()) return status;
  return interface;
}

std::vector<Literal> LeavesOf(absl::Span<const Literal> values) {
  std::vector<Literal> leaves;
  for (const Literal& value : values) AddLeaves(value, &leaves);
  return leaves;
}

Literal ValueOf(const Shape& shape, absl::Span<const Literal>* leaves) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    elements.reserve(shape.elements().size());
    for (const Shape& element : shape.elements()) {
      elements.push_back(ValueOf(element, leaves));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (shape.is_token()) return Literal::Token();
  if (leaves->empty()) return Literal();
  Literal value = leaves->front();
  leaves->remove_prefix(1);
  return value;
}

}  // namespace indim::pjrt
