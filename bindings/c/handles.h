// SPDX-License-Identifier: Apache-2.0
// The objects behind the handles of the C interface.

#ifndef INDIM_BINDINGS_C_HANDLES_H_
#define INDIM_BINDINGS_C_HANDLES_H_

#include <indim.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/bindings/c/diagnostics.h"
#include "indim/builder/op.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/device_counts.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/types/shape.h"

struct indim_diagnostics {
  indim::capi::DiagnosticList list;
};

struct indim_bytes {
  std::string text;
};

struct indim_shape {
  explicit indim_shape(indim::Shape of)
      : shape(std::move(of)), text(shape.ToString()) {}
  const indim::Shape shape;
  const std::string text;
};

struct indim_plan {
  indim::BroadcastPlan plan;
  std::vector<std::string> conditions;
};

struct indim_literal {
  explicit indim_literal(indim::Literal of) : literal(std::move(of)) {}
  // The literal with all its elements; made at the first call. Thread-safe.
  absl::StatusOr<const indim::Literal*> Whole() const;

  const indim::Literal literal;
  mutable std::mutex mutex;
  mutable std::unique_ptr<const indim::Literal> whole;  // of equal elements
};

struct indim_module {
  explicit indim_module(indim::Module of, indim::DeviceCounts counts = {})
      : module(std::move(of)), devices(counts), name(module.name()) {}
  const indim::Module module;
  const indim::DeviceCounts devices;  // where a message around it says so
  const std::string name;
};

struct indim_callee {
  explicit indim_callee(indim::Callee of) : callee(std::move(of)) {}
  const indim::Callee callee;
};

namespace indim::capi {

// An enum's value and a dim's number as indim_shape_dims gives them.
int32_t KindOf(Dim dim);
int64_t NumberOf(Dim dim);
// Writes at most `capacity` dims; either list may be null.
void WriteDims(absl::Span<const Dim> dims, int64_t* sizes, int32_t* kinds,
               size_t capacity);
// An element type by its number; kInvalid: there is none.
ElementType ElementTypeOf(int32_t number);
// An opcode by its number; kInvalid: there is none.
Opcode OpcodeOf(int32_t number);
// By its name, HLO's or StableHLO's; kInvalid: there is none.
Opcode OpcodeOf(absl::string_view name);
// NotFound: the name, and the nearest that there is.
absl::Status UnknownOpcode(absl::string_view name);

// Copies of the literals behind handles. False: one is null.
bool LiteralsOf(const indim_literal* const* handles, size_t count,
                std::vector<Literal>* literals);

// Pointers to the shapes behind handles. False: one is null.
bool ShapesOf(const indim_shape* const* handles, size_t count,
              std::vector<const Shape*>* shapes);

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_HANDLES_H_
