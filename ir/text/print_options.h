// How HLO text is printed: XLA's HloPrintOptions, as far as they change what
// people see.

#ifndef INDIM_IR_TEXT_PRINT_OPTIONS_H_
#define INDIM_IR_TEXT_PRINT_OPTIONS_H_

namespace indim {

struct PrintOptions {
  // XLA's ToString(), and as_hlo_text().
  static PrintOptions Default() { return {}; }
  // As_hlo_text(True): constants whole.
  static PrintOptions LargeConstants() {
    PrintOptions o;
    o.large_constants = true;
    return o;
  }
  // XLA's ShortParsable: large constants; no "%", metadata, control
  // predecessors, program shapes, index comments.
  static PrintOptions ShortParsable() {
    PrintOptions o;
    o.large_constants = true;
    o.percent = o.metadata = o.control_predecessors = o.program_shape =
        o.index_comments = false;
    return o;
  }

  bool large_constants = false;  // over 10 elements; else {...}
  bool percent = true;           // %x
  bool ids = true;               // add.17; else add
  bool metadata = true;          // metadata=, and the tables of frames
  bool backend_config = true;
  bool control_predecessors = true;
  bool program_shape = true;    // (x: f32[2]) -> f32[2]
  bool result_shape = true;     // x = f32[2] add(...)
  bool operand_shapes = false;  // add(f32[2] x, ...)
  bool layouts = true;          // f32[2]{0}
  bool index_comments = true;   // /*index=5*/
  bool entry_computation_layout = true;
  // Terminal colours: opcodes, names, shapes, comments.
  bool color = false;
};

}  // namespace indim

#endif  // INDIM_IR_TEXT_PRINT_OPTIONS_H_
