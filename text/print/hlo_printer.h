// The printer behind PrintHloText (print_hlo_text.h): one object prints one
// module.
//
// What many instructions have in common (shapes, attributes, metadata) is made
// into text once; where it is printed again, it is copied from where it was
// printed first.

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
#include "indim/storage/byte_hash.h"
#include "indim/storage/intern_index.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/text_buffer.h"
#include "indim/text/print/print_order.h"
#include "indim/text/print/printed_metadata.h"
#include "indim/text/print/printed_names.h"
#include "indim/text/print/printed_shape.h"

namespace indim {

class HloPrinter {
 public:
  // `module` must outlive this.
  HloPrinter(const Module& module, const PrintOptions& options);

  std::string Print();
  // The same in pieces; PrintHloText (print_hlo_text.h) says what it returns.
  absl::Status PrintTo(absl::FunctionRef<void(absl::string_view)> sink);

  // What stands before tables and computations: "HloModule m, ...".
  std::string HeaderText();
  // One instruction as in Print, without indent: "ROOT %x = f32[2]{0} add(%a,
  // %b)"; without its name (and ROOT) where `named` is false. Names are never
  // canonical.
  std::string InstructionText(uint32_t computation, uint32_t i,
                              bool named = true);
  // As Print shows it where it is defined, with ENTRY: "ENTRY %main".
  std::string ComputationName(uint32_t computation) const;

 private:
  using Subcomputations = PrintOptions::Subcomputations;

  // Deeper than anyone reads, and far from the end of the stack.
  static constexpr int kMaxBodyDepth = 200;

  // One computation being printed.
  struct Scope {
    uint32_t computation;
    int indent;  // of its instructions
    // tmp_N by position, from 1; 0: not named yet. Empty unless names are
    // canonical.
    std::vector<uint32_t> canonical;
    uint32_t canonical_count = 0;
  };

  // Text that was printed: out_[begin, begin + size). Not yet when begin is
  // kNowhere.
  struct Piece {
    static constexpr size_t kNowhere = ~size_t{0};
    size_t begin = kNowhere;
    size_t size = 0;
  };
  void Repeat(const Piece& piece) {
    if (piece.size > 0) out_.Repeat(piece.begin, piece.size);
  }
  // Prints `piece` again, or for the first time by print().
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

  // What lines have in common that say the same but for names and metadata:
  // `%x = f32[2]{0} add(%a), attributes, metadata={...}, config`.
  struct FormKey {
    uint64_t ids = 0;      // of shape and attribute bytes
    uint64_t operand = 0;  // opcode, and the first one's shape, where
                           // attributes depend on it
    uint32_t operand_count = 0;
    friend bool operator==(const FormKey& a, const FormKey& b) {
      return ((a.ids ^ b.ids) | (a.operand ^ b.operand) |
              (a.operand_count ^ b.operand_count)) == 0;
    }
    uint64_t Hash() const {
      using byte_hash::kFactors;
      const uint64_t low = (ids ^ operand_count) * kFactors[0];
      return (low ^ low >> 32 ^ operand) * kFactors[1];
    }
  };
  // The attributes of all instructions of one opcode and attribute bytes (and,
  // for what depends on shapes, of one first operand's shape), which is all
  // that the key has.
  struct AttributePieces {
    FormKey key;
    AttributeBytesFields fields;  // of the attribute bytes
    Piece own, devices, late, backend_config;
  };
  struct alignas(64) Form {  // a cache line: one is looked up for each line
    struct Part {            // out_[text + begin, text + begin + size)
      uint32_t begin = 0;
      uint32_t size = 0;
    };
    FormKey key;
    // Where the first such line begins behind its name; kNowhere: there was
    // none yet.
    size_t text = Piece::kNowhere;
    uint32_t head_size = 0;  // " = f32[2]{0} add("; of what has no operands,
                             // with what stands between the parentheses
    // From ")" on. Where there are callees, their names stand in between.
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
  // Between two lines of a computation that is in no other: hands on what was
  // printed and forgets where in it everything stands, if there is enough.
  void HandOn();
  // Computations that are shown as one op, by the sugar of async-start.
  bool IsHidden(uint32_t computation) const {
    return options_.async_sugar && is_async_[computation] &&
           is_single_[computation];
  }
  void FindAsyncComputations();
  bool HasOneOp(uint32_t computation) const;  // beside parameters
  bool HasShapesOf(const InstructionRecord& start, uint32_t computation) const;
  // By size, then by text.
  std::vector<uint32_t> SortedComputations();
  void PrintComputation(uint32_t computation, int indent, bool is_nested);
  void PrintInstruction(Scope* scope, uint32_t i);
  // "%x = ", with ROOT; and what follows it.
  void PrintLeftHandSide(Scope* scope, uint32_t i);
  // Fills `form` with where its parts are, unless it is null.
  void PrintRightHandSide(Scope* scope, uint32_t i, Form* form = nullptr);
  void PrintIndent(int indent) {
    out_.Append(2 * static_cast<size_t>(indent), ' ');
  }

  // --- hlo_printer_shapes.cc ------------------------------------------------
  void PrintShape(ShapeId shape, bool layouts);
  void PrintPlainShape(ShapeId id, bool layouts);  // never in colours
  void PrintTupleShape(ShapeId id, bool layouts);
  void PrintOneShape(const Shape& shape, bool layouts);
  // False: it is left to inference, and the text of a recorded module leaves it
  // out.
  bool IsPrinted(ShapeId shape) const { return shape || !data_.recorded; }
  bool HasProgramShape(uint32_t computation) const;
  void PrintProgramShape(uint32_t computation);
  bool IsProgramShapeMade() const;
  void PrintEntryLayout();
  template <typename Parts, typename Part, typename F>
  void PrintEntryLayoutOf(const Parts& parameters, const Part& result, F print);

  // --- hlo_printer_operands.cc: what stands before the attributes ----------
  void PrintName(absl::string_view name);
  // The name of the instruction at `position` of the module, where names are
  // plain and there is room for it; returns the end of it.
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
  // Whether lines are made of forms at all.
  static bool HaveForms(const PrintOptions& options);
  bool MayHaveForm(const InstructionRecord& record) const {
    return has_forms_ && record.operand_count <= uncounted_operands_ &&
           (record.callee_count == 0 || !shows_bodies_) &&
           !record.unknown_opcode && !IsAsync(record.opcode);
  }
  // The form of an instruction; null: it has none. Valid until the next call.
  Form* FindForm(uint32_t computation, uint32_t i);
  // For the names in the line of instruction `first + i`, with what stands
  // before each.
  size_t RoomForNames(uint32_t first, uint32_t i,
                      absl::Span<const uint32_t> operands) const;
  // The whole line.
  void PrintForm(const Form& form, const Scope& scope, uint32_t i);

  // --- hlo_printer_attributes.cc --------------------------------------------
  // All that stand before metadata. These two return where the callees are.
  Piece PrintAttributes(const Scope& scope, uint32_t i, AttributePieces* kept);
  // The op's own, callees, devices, control predecessors.
  Piece PrintExtraAttributes(const Scope& scope, uint32_t i,
                             const PrintOptions& options,
                             AttributePieces* kept);
  // Of async-start: its thread, and of the op that it wraps what
  // PrintExtraAttributes prints.
  void PrintAsyncAttributes(const Scope& scope, uint32_t i,
                            const PrintOptions& options);
  void PrintControlPredecessors(const Scope& scope, uint32_t i);
  void PrintMetadata(MetadataId metadata);
  // What PrintMetadata printed of it; null: nothing yet.
  const Piece* FindMetadata(MetadataId metadata) const {
    static constexpr Piece kNothing{0, 0};
    if (!options_.metadata || !metadata) return &kNothing;
    const Piece& piece = metadata_pieces_[metadata.value];
    return piece.begin == Piece::kNowhere ? nullptr : &piece;
  }
  // The kept attributes of an instruction; null: its can't be kept.
  AttributePieces* FindAttributes(uint32_t computation, uint32_t i);
  // The computation that an async op wraps; nullopt: there is none.
  std::optional<uint32_t> Wrapped(uint32_t computation, uint32_t i) const;
  // The same, where sugar shows the one op in it instead.
  std::optional<uint32_t> Sugared(uint32_t computation, uint32_t i) const;

  // --- hlo_printer_callees.cc -----------------------------------------------
  // Of what has some.
  void PrintCallees(const Scope& scope, uint32_t i);
  void PrintBody(const Scope& scope, uint32_t callee);

  void Append(absl::string_view text) { out_.Append(text); }
  void Append(char c) { out_.Append(c); }
  // What stands before element `i` of a list: AppendListSeparator.
  void PrintSeparator(int64_t i, int64_t interval) {
    if (i == 0) return;
    if (interval == 0 || i % interval != 0) {
      Append(", ");
    } else {
      out_.AppendMade(
          [=](std::string* to) { AppendListSeparator(i, interval, to); });
    }
  }
  // Switches to a colour of text_colors.h, if colours are wanted.
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

  // By position in the module: what updates and dones without callee wrap.
  mutable absl::flat_hash_map<uint32_t, std::optional<uint32_t>> wrapped_;
  std::vector<bool> is_async_;   // called by an async op
  std::vector<bool> is_single_;  // of these: parameters and one op

  // Instructions show their names as they are.
  const bool has_plain_names_;
  const bool has_forms_;
  const uint64_t uncounted_operands_;  // as many have no /*index=5*/ among them
  const bool shows_bodies_;            // of callees, where they are called
  std::vector<Form> forms_;
  InternIndex form_index_;
  std::vector<Piece> shapes_[2];        // by ShapeId; without layouts, with
  std::vector<Piece> metadata_pieces_;  // by MetadataId
  std::deque<AttributePieces> attributes_;
  InternIndex attribute_index_;

  // Bodies that are printed inside each other: how many, where the outermost
  // begins, how much text those before it took, and whether names stand instead
  // of some.
  int body_depth_ = 0;
  size_t body_begin_ = 0;
  uint64_t body_text_ = 0;
  bool left_out_bodies_ = false;
  // Takes what is printed; null: it is all kept.
  const absl::FunctionRef<void(absl::string_view)>* sink_ = nullptr;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_HLO_PRINTER_H_
