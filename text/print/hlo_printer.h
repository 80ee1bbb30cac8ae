// HloPrinter: the printer behind PrintHloText (print_hlo_text.h). One object
// prints one module.
//
// It formats the common parts of instructions (shapes, attributes, metadata)
// once, and later copies them from where they were first printed.

#ifndef INDIM_TEXT_PRINT_HLO_PRINTER_H_
#define INDIM_TEXT_PRINT_HLO_PRINTER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/node_key.h"
#include "indim/storage/byte_hash.h"
#include "indim/storage/intern_index.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/printed_names.h"
#include "indim/text/base/text_buffer.h"
#include "indim/text/print/print_order.h"
#include "indim/text/print/printed_metadata.h"
#include "indim/text/print/printed_shape.h"

namespace indim {

class HloPrinter {
 public:
  // `module` must outlive this.
  HloPrinter(const Module& module, const PrintOptions& options);

  std::string Print();
  // Prints in pieces; for the result see PrintHloText (print_hlo_text.h).
  absl::Status PrintTo(absl::FunctionRef<void(absl::string_view)> sink);

  // The text before tables and computations: "HloModule m, ...".
  std::string HeaderText();
  // One instruction as in Print, without indent: "ROOT %x = f32[2]{0} add(%a,
  // %b)"; if !named, without its name and ROOT. Names are never canonical.
  std::string InstructionText(uint32_t computation, uint32_t i,
                              bool named = true);
  // The name as Print shows it at its definition, with ENTRY: "ENTRY %main".
  std::string ComputationName(uint32_t computation) const;

 private:
  using Subcomputations = PrintOptions::Subcomputations;

  // Deep enough for any reader, and far from the end of the stack.
  static constexpr int kMaxBodyDepth = 200;

  // A computation while it is printed.
  struct Scope {
    uint32_t computation;
    int indent;  // of its instructions
    // The N of tmp_N by position, from 1; 0: none yet. Empty unless names are
    // canonical.
    std::vector<uint32_t> canonical;
    uint32_t canonical_count = 0;
  };

  // A text that was printed: out_[begin, begin + size). begin == kNowhere: it
  // wasn't yet.
  struct Piece {
    static constexpr size_t kNowhere = ~size_t{0};
    size_t begin = kNowhere;
    size_t size = 0;
  };
  void Repeat(const Piece& piece) {
    if (piece.size > 0) out_.Repeat(piece.begin, piece.size);
  }
  // Repeats `piece`, or prints it by print() the first time.
  template <typename F>
  void Print(Piece* piece, F print) {
    if (piece->begin != Piece::kNowhere) {
      Repeat(*piece);
      return;
    }
    const size_t begin = out_.size();
    print();
    *piece = {begin, out_.size() - begin};
  }

  // The key of lines that differ only in names and metadata: `%x = f32[2]{0}
  // add(%a), attributes, metadata={...}, config`.
  // Its part is the first operand's shape, if attributes depend on it.
  using FormKey = NodeKeyOf<1>;
  static uint64_t HashOf(const FormKey& key) {
    using byte_hash::kFactors;
    const uint64_t low = key[1] * kFactors[0];
    return (low ^ low >> 32 ^ key[2] ^ key[0] << 32) * kFactors[1];
  }
  // The attributes of all instructions with one opcode and attribute bytes (and
  // one shape of the first operand if they depend on it): the key has only
  // these.
  struct AttributePieces {
    FormKey key;
    AttributeBytesFields fields;  // of the attribute bytes
    Piece own, devices, late, backend_config;
  };
  struct alignas(64) Form {  // one cache line: each printed line looks one up
    struct Part {            // out_[text + begin, text + begin + size)
      uint32_t begin = 0;
      uint32_t size = 0;
    };
    FormKey key;
    // Where the first such line begins after its name; kNowhere: none was
    // printed yet.
    size_t text = Piece::kNowhere;
    // " = f32[2]{0} add("; without operands, also the text in parentheses.
    uint32_t head_size = 0;
    // Parts from the ")" on. Names of callees are between them.
    Part attributes;
    Part after_callees;
    Part config;
    bool can_be_kept = false;
  };
  void Repeat(const Form& form, Form::Part part) {
    out_.Repeat(form.text + part.begin, part.size);
  }

  // --- hlo_printer.cc: modules and computations -----------------------------
  void PrintModule();
  void PrintHeader();
  void PrintComputations();
  // Called between two lines of an outermost computation: if there is enough
  // text, passes it to the sink and drops all pieces in it.
  void HandOn();
  // Whether the computation is shown as one op, by the sugar of async-start.
  bool IsHidden(uint32_t computation) const {
    return options_.async_sugar && is_async_[computation] &&
           is_single_[computation];
  }
  void FindAsyncComputations();
  bool HasOneOp(uint32_t computation) const;  // beside parameters
  bool HasShapesOf(const InstructionRecord& start, uint32_t computation) const;
  // Sorted by size, then by text.
  std::vector<uint32_t> SortedComputations();
  void PrintComputation(uint32_t computation, int indent, bool is_nested);
  void PrintInstruction(Scope* scope, uint32_t i);
  // Prints "%x = ", with ROOT; PrintRightHandSide prints the rest.
  void PrintLeftHandSide(Scope* scope, uint32_t i);
  // Fills `form` with the positions of its parts, unless it is null.
  void PrintRightHandSide(Scope* scope, uint32_t i, Form* form = nullptr);
  void PrintIndent(int indent) {
    out_.Append(2 * static_cast<size_t>(indent), ' ');
  }

  // --- hlo_printer_shapes.cc ------------------------------------------------
  void PrintShape(ShapeId shape, bool layouts);
  void PrintPlainShape(ShapeId id, bool layouts);  // never in colours
  void PrintTupleShape(ShapeId id, bool layouts);
  void PrintOneShape(const Shape& shape, bool layouts);
  // False: the shape is left to inference, and the text of a recorded module
  // omits it.
  bool IsPrinted(ShapeId shape) const { return shape || !data_.recorded; }
  bool HasProgramShape(uint32_t computation) const;
  void PrintProgramShape(uint32_t computation);
  bool IsProgramShapeMade() const;
  void PrintEntryLayout();
  template <typename Parts, typename Part, typename F>
  void PrintEntryLayoutOf(const Parts& parameters, const Part& result, F print);

  // --- hlo_printer_operands.cc: the text before the attributes --------------
  void PrintName(absl::string_view name);
  // Writes the name of the instruction at `position` of the module to a buffer
  // with room for it; returns the end. Only for plain names.
  char* WriteName(uint32_t position, char* to) const {
    *to = '%';
    return names_.WriteInstruction(position, to + (options_.percent ? 1 : 0));
  }
  void PrintInstructionName(Scope* scope, uint32_t i);
  void PrintOpcode(const Scope& scope, uint32_t i);
  void PrintOperands(Scope* scope, uint32_t i);
  void PrintOperand(Scope* scope, uint32_t i);
  void PrintTupleElement(Scope* scope, uint32_t i);
  void PrintConstant(const Instruction& instruction);

  // --- hlo_printer_forms.cc -------------------------------------------------

  // Whether lines use forms at all.
  static bool HaveForms(const PrintOptions& options);
  bool MayHaveForm(const InstructionRecord& record) const {
    return has_forms_ && record.operand_count <= uncounted_operands_ &&
           (record.callee_count == 0 || !shows_bodies_) &&
           !record.unknown_opcode && !IsAsync(record.opcode);
  }
  // The form of an instruction; null: none. Valid until the next call.
  Form* FindForm(uint32_t computation, uint32_t i);
  // The room for the names in the line of instruction `first + i`, with the
  // text before each.
  size_t RoomForNames(uint32_t first, uint32_t i,
                      absl::Span<const uint32_t> operands) const;
  // Prints the whole line.
  void PrintForm(const Form& form, const Scope& scope, uint32_t i);

  // --- hlo_printer_attributes.cc --------------------------------------------

  // Prints all attributes before metadata. These two return the piece of the
  // callees.
  Piece PrintAttributes(const Scope& scope, uint32_t i, AttributePieces* kept);
  // Prints the op's own attributes, callees, devices, control predecessors.
  Piece PrintExtraAttributes(const Scope& scope, uint32_t i,
                             const PrintOptions& options,
                             AttributePieces* kept);
  // Prints the thread of an async-start, and PrintExtraAttributes' text of the
  // op that it wraps.
  void PrintAsyncAttributes(const Scope& scope, uint32_t i,
                            const PrintOptions& options);
  void PrintControlPredecessors(const Scope& scope, uint32_t i);
  void PrintMetadata(MetadataId metadata);
  // The piece that PrintMetadata printed for it; null: not printed yet.
  const Piece* FindMetadata(MetadataId metadata) const {
    static constexpr Piece kNothing{0, 0};
    if (!options_.metadata || !metadata) return &kNothing;
    const Piece& piece = metadata_pieces_[metadata.value];
    return piece.begin == Piece::kNowhere ? nullptr : &piece;
  }
  // The kept attributes of an instruction; null: they can't be kept.
  AttributePieces* FindAttributes(uint32_t computation, uint32_t i);
  // The computation that an async op wraps; nullopt: none.
  std::optional<uint32_t> Wrapped(uint32_t computation, uint32_t i) const;
  // The wrapped computation, if sugar shows its single op instead.
  std::optional<uint32_t> Sugared(uint32_t computation, uint32_t i) const;

  // --- hlo_printer_callees.cc -----------------------------------------------

  // Prints the callees of an instruction that has some.
  void PrintCallees(const Scope& scope, uint32_t i);
  void PrintBody(const Scope& scope, uint32_t callee);

  void Append(absl::string_view text) { out_.Append(text); }
  void Append(char c) { out_.Append(c); }
  // Prints the text before element `i` of a list: AppendListSeparator.
  void PrintSeparator(int64_t i, int64_t interval) {
    if (i == 0) return;
    if (interval == 0 || i % interval != 0) {
      Append(", ");
    } else {
      out_.AppendWith(
          [=](std::string* to) { AppendListSeparator(i, interval, to); });
    }
  }
  // Switches to a colour of text_colors.h, if colours are on.
  void Color(absl::string_view code) {
    if (options_.color) Append(code);
  }

  const InstructionRecord& Record(uint32_t computation, uint32_t i) const {
    return data_.instructions[data_.computations[computation].first + i];
  }
  Instruction At(uint32_t computation, uint32_t i) const {
    return internal::InstructionOf(&data_, computation, i);
  }

  const Module& module_;
  const ModuleData& data_;
  const PrintOptions options_;
  const PrintedNames names_;
  InstructionOrder order_;
  PrintedMetadata metadata_;
  TextBuffer out_;

  // By position in the module: the computations that updates and dones without
  // callees wrap.
  mutable absl::flat_hash_map<uint32_t, std::optional<uint32_t>> wrapped_;
  std::vector<bool> is_async_;   // called by an async op
  std::vector<bool> is_single_;  // of these, with parameters and one op only

  // Whether instructions show their names unchanged.
  const bool has_plain_names_;
  const bool has_forms_;
  const uint64_t uncounted_operands_;  // so many have no /*index=5*/
  const bool shows_bodies_;            // callees' bodies are shown at the call
  std::vector<Form> forms_;
  InternIndex form_index_;
  std::vector<Piece> shapes_[2];        // by ShapeId; without layouts, with
  std::vector<Piece> metadata_pieces_;  // by MetadataId
  std::deque<AttributePieces> attributes_;
  InternIndex attribute_index_;

  // Nested bodies: their depth, where the outermost begins, the size of earlier
  // ones, and whether names replaced some.
  int body_depth_ = 0;
  size_t body_begin_ = 0;
  uint64_t body_text_ = 0;
  bool left_out_bodies_ = false;
  // Receives the text; null: all of it is kept.
  const absl::FunctionRef<void(absl::string_view)>* sink_ = nullptr;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_HLO_PRINTER_H_
