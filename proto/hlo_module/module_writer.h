// SPDX-License-Identifier: Apache-2.0
// ModuleWriter: writes all of an HloModuleProto except the instructions, which
// the caller writes. For Indim's writers.

#ifndef INDIM_PROTO_HLO_MODULE_MODULE_WRITER_H_
#define INDIM_PROTO_HLO_MODULE_MODULE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_data.h"
#include "indim/proto/hlo_module/expansion.h"
#include "indim/proto/wire/wire_buffer.h"

namespace indim {

// The mark that this library writes for a recorded module: RecordedModule with
// version 1.
inline constexpr absl::string_view kRecordedMark("\x08\x01", 2);

// Whether XLA takes two ids for the same: it reads 32 bits.
inline bool SameLowBits(int64_t a, int64_t b) {
  return static_cast<uint32_t>(a) == static_cast<uint32_t>(b);
}

class ModuleWriter {
 public:
  // All arguments must outlive this and not change. With an `expander` (null:
  // none) it writes a module for XLA: without the mark of a recorded module,
  // and with the default layout where one is missing, as host_program_shape
  // always has it. The caller's instructions must have it too.
  ModuleWriter(const ModuleData& data, const FinalNames& names,
               Expander* expander, WireBuffer* out)
      : data_(data), names_(names), expander_(expander), out_(*out) {}

  // `instructions` below may set the parameters of the computation that it has
  // just written, in order.
  void SetParameters(uint32_t computation,
                     absl::Span<const uint32_t> parameters) {
    parameters_ = data_.ParametersByNumber(computation, parameters);
    parameters_of_ = computation;
  }

  // Writes the module. `instructions(c)` writes those of computation c and
  // calls Step for each; false stops this.
  bool Write(absl::FunctionRef<bool(uint32_t)> instructions);

  // A ProgramShapeProto, valid until the next call.
  absl::string_view MakeProgramShape(uint32_t computation, bool with_layout);

 private:
  // The bytes of an instruction's shape, valid until the next call.
  absl::string_view ShapeBytes(uint32_t computation, uint32_t i,
                               bool with_layout);
  void SplitOtherFields();
  void WriteProgramShape(uint32_t computation, absl::string_view as_read,
                         WhenEmpty when_empty, bool with_layout);
  // Writes the fields after the instructions.
  void WriteComputationEnd(uint32_t computation);
  void WriteModuleEnd();
  int64_t RootId(uint32_t computation) const;

  const ModuleData& data_;
  const FinalNames& names_;
  Expander* const expander_;
  WireBuffer& out_;
  absl::string_view known_fields_, unknown_fields_;
  // The computation whose parameters parameters_ has.
  std::optional<uint32_t> parameters_of_;
  ModuleData::Positions parameters_;
  // Bytes of shapes, by ShapeId, without and with layouts; at most so many.
  static constexpr size_t kMaxSpelledShapes = 1024;
  absl::flat_hash_map<uint32_t, std::string> shape_bytes_[2];
  std::string expanded_shape_, program_shape_;
};

// The host_program_shape of a module with an entry, as a writer makes it.
std::string MakeHostProgramShape(const ModuleData& data,
                                 const FinalNames& names);

}  // namespace indim

#endif  // INDIM_PROTO_HLO_MODULE_MODULE_WRITER_H_
