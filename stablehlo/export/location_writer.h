// SPDX-License-Identifier: Apache-2.0
// LocationWriter: locations of MLIR for the metadata of instructions.
//
//   metadata={op_name="f/add" source_file="m.py" source_line=7}
//   loc(fused["f/add", "m.py":7:0])
//
//   metadata={op_name="f/add" stack_frame_id=2}, frame 2 being g, called by f
//   loc("f/add"(callsite("g"("m.py":7:3) at "f"("m.py":3:1))))
//
//   no op_name: the name of the instruction, loc("add.1")
//
// These are the forms of XLA's importer (August 2026), so XLA's exporter reads
// them back.

#ifndef INDIM_STABLEHLO_EXPORT_LOCATION_WRITER_H_
#define INDIM_STABLEHLO_EXPORT_LOCATION_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

class LocationWriter {
 public:
  // Both must outlive this. `enabled` false: every location is none.
  LocationWriter(const ModuleData& data, bool enabled, Ir* ir);

  // The location of an instruction.
  AttrId Of(const Instruction& instruction);
  AttrId NameLoc(absl::string_view name, AttrId child = {});

 private:
  struct FileLocation {
    absl::string_view file;
    absl::string_view function;
    int64_t line = 0;
    int64_t column = 0;
  };
  struct Frame {
    int64_t location = 0;
    int64_t parent = 0;
    AttrId text;  // none: not made yet
    bool on_path = false;
  };

  void ReadFrames();
  // The call stack of a frame (from 1); none: the tables lack it.
  AttrId Stack(int64_t frame);
  // One frame without its callers.
  AttrId Place(const Frame& frame);
  // Without the instruction's name.
  AttrId OfMetadata(absl::string_view metadata);
  AttrId FileLoc(absl::string_view file, int64_t line, int64_t column);

  const ModuleData& data_;
  bool enabled_;
  Ir& ir_;
  std::vector<FileLocation> locations_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<uint32_t, AttrId> by_metadata_;
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_LOCATION_WRITER_H_
