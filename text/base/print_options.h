// SPDX-License-Identifier: Apache-2.0
// PrintOptions: XLA's HloPrintOptions (xla/hlo/ir/hlo_print_options.h), field
// by field, and colour. docs/hlo_text.md has a table of them.

#ifndef INDIM_TEXT_BASE_PRINT_OPTIONS_H_
#define INDIM_TEXT_BASE_PRINT_OPTIONS_H_

#include <cstdint>

namespace indim {

struct PrintOptions {
  // --- Presets: XLA's of the same names -------------------------------------

  // XLA's ToString() of a module.
  static PrintOptions Default() { return {}; }
  // Omits nothing: the options of `indim convert`; the text reads back as the
  // same module.
  static PrintOptions LargeConstants() {
    PrintOptions o;
    o.large_constants = true;
    return o;
  }
  // XLA's as_hlo_text(True); with large_constants off, as_hlo_text().
  static PrintOptions ShortParsable() {
    PrintOptions o;
    o.large_constants = true;
    o.percent = o.metadata = o.control_predecessors = o.program_shape = false;
    o.index_interval = 0;
    return o;
  }
  // Equal for equal graphs, with any names.
  static PrintOptions Canonical() {
    PrintOptions o;
    o.subcomputations = Subcomputations::kBodies;
    o.operand_shapes = o.canonical_names = true;
    o.operand_names = o.percent = o.metadata = o.backend_config =
        o.control_predecessors = o.program_shape = false;
    o.index_interval = 0;
    return o;
  }
  // Canonical() without the parts that don't affect the optimization of a
  // graph.
  static PrintOptions Fingerprint() {
    PrintOptions o = Canonical();
    o.infeed_outfeed_config = o.ids = false;
    o.essential_constants = o.sorted_computations = o.full_replica_groups =
        true;
    return o;
  }
  static PrintOptions ModuleFingerprint() {
    PrintOptions o = Fingerprint();
    o.operand_shapes = false;
    return o;
  }

  // --- Names ----------------------------------------------------------------

  // %x. A module with a name that needs it, such as "true", always has it.
  bool percent = true;
  bool ids = true;               // add.17; else add, and no module name
  bool canonical_names = false;  // tmp_0, tmp_1, ... in each computation

  // --- What an instruction shows --------------------------------------------

  bool result_shape = true;     // x = f32[2] add(...)
  bool layouts = true;          // f32[2]{0}
  bool operand_shapes = false;  // add(f32[2] x, ...)
  bool operand_names = true;
  bool compact_operands = false;        // four of them, then ", ...(+3)"
  bool compact_tuple_elements = false;  // %t#0 instead of get-tuple-element
  bool parameter_numbers = true;
  // /*index=5*/ before every fifth operand, for example; 0: never.
  int64_t index_interval = 5;
  bool large_constants = false;  // over 10 elements; else {...}
  // Only integers, and constants of all 0 or all 1; else {...}.
  bool essential_constants = false;
  // A call of one op as `a-start(...)` with the attributes of a; else
  // async-start.
  bool async_sugar = true;
  // Whether async_sugar holds only where a reader makes the same instructions
  // of `a-start(...)` again. XLA prints it elsewhere too: `copy-start` for a
  // call of a copy, which is read as the operation of that name.
  bool exact_sugar = false;

  bool extra_attributes = true;      // the op's own
  bool full_replica_groups = false;  // never [2,4]<=[8]
  bool channel_ids = true;           // else channel_id= without its value
  bool infeed_outfeed_config = true;
  bool frontend_attributes = true;
  bool control_predecessors = true;
  bool original_value = true;  // origin=
  bool metadata = true;        // metadata=, of shardings too; tables of frames
  bool metadata_only_op_name = false;
  bool inline_stack_frames = false;  // source_file= instead of stack_frame_id=
  bool backend_config = true;
  bool sort_backend_config = false;  // the members of JSON by key

  // --- Computations ---------------------------------------------------------

  enum class Subcomputations : uint8_t {
    kNames,                // to_apply=%sum
    kNone,                 // nothing about them
    kBodies,               // to_apply= and the computation's text
    kNonSequentialBodies,  // as kBodies, but for call, while, conditional
  };
  Subcomputations subcomputations = Subcomputations::kNames;
  // Most bytes of bodies inside bodies, in all: a computation that is called
  // twice by one that is called twice ... would be printed 2^n times. Beyond
  // this limit names are printed.
  uint64_t max_body_text = uint64_t{64} << 20;
  bool program_shape = true;  // (x: f32[2]) -> f32[2]
  // By size, then content, instead of callees first. XLA orders computations of
  // equal size by a hash; Indim orders them by their text.
  bool sorted_computations = false;
  bool name_after_brace = false;  // "} // name" after more than 5 instructions
  int indent = 0;                 // in steps of two blanks

  // --- Not XLA's ------------------------------------------------------------

  bool color = false;  // for terminals: opcodes, names, shapes, comments
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_PRINT_OPTIONS_H_
