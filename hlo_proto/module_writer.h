// ModuleWriter: all of HloModuleProto but the instructions, which its user
// writes in between. For the writers of Indim.

#ifndef INDIM_HLO_PROTO_MODULE_WRITER_H_
#define INDIM_HLO_PROTO_MODULE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_data.h"
#include "indim/shape/types/shape.h"
#include "indim/wire/wire_buffer.h"

namespace indim {

// The mark of a recorded module that this library writes: RecordedModule with
// version 1.
inline constexpr absl::string_view kRecordedMark("\x08\x01", 2);

class ModuleWriter {
 public:
  // All must outlive this and not change.
  ModuleWriter(const ModuleData& data, const FinalNames& names, WireBuffer* out)
      : data_(data), names_(names), out_(*out) {}

  // The mark of a recorded module is left out.
  void LeaveOutMark() { with_mark_ = false; }
  // Of what has no layout all shapes are written with the default one, as
  // host_program_shape always is: the instructions below must be, too.
  void LayOut() { with_layouts_ = true; }
  // By position: shapes that are written otherwise than recorded.
  void ReplaceShapes(const absl::flat_hash_map<uint32_t, Shape>* shapes) {
    replaced_ = shapes;
  }

  // What `instructions` below may tell of the computation that it has written:
  // its parameters, in order.
  void SetParameters(uint32_t computation,
                     absl::Span<const uint32_t> parameters) {
    parameters_ = data_.ParametersByNumber(computation, parameters);
    parameters_of_ = computation;
  }

  // `instructions(c)` writes those of one computation, and calls Step for each;
  // false makes this stop.
  bool Write(absl::FunctionRef<bool(uint32_t)> instructions);

  // A ProgramShapeProto. Valid until the next call.
  absl::string_view MakeProgramShape(uint32_t computation, bool with_layout);

 private:
  // Valid until the next call.
  absl::string_view ShapeBytes(uint32_t position, bool with_layout);
  void SplitOtherFields();
  void WriteProgramShape(uint32_t computation, absl::string_view as_read,
                         WhenEmpty when_empty, bool with_layout);
  // What follows the instructions.
  void WriteComputationEnd(uint32_t computation);
  void WriteModuleEnd();
  int64_t RootId(uint32_t computation) const;

  const ModuleData& data_;
  const FinalNames& names_;
  WireBuffer& out_;
  bool with_mark_ = true;
  bool with_layouts_ = false;
  const absl::flat_hash_map<uint32_t, Shape>* replaced_ = nullptr;
  absl::string_view known_fields_, unknown_fields_;
  // Of the computation that was last asked for.
  std::optional<uint32_t> parameters_of_;
  ModuleData::Positions parameters_;
  // Bytes of shapes, by ShapeId, without and with layouts; so many at most.
  static constexpr size_t kMostSpelled = 1024;
  absl::flat_hash_map<uint32_t, std::string> shape_bytes_[2];
  std::string replaced_bytes_, program_shape_;
};

// The host_program_shape that a writer makes for a module with an entry.
std::string MakeHostProgramShape(const ModuleData& data,
                                 const FinalNames& names);

}  // namespace indim

#endif  // INDIM_HLO_PROTO_MODULE_WRITER_H_
