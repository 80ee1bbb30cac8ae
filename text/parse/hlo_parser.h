// How ParseHloText (parse_hlo_text.h) works: one pass over the text, no syntax
// tree.
//
// Each computation is a frame while it is open: its instructions, and names
// that a frame inside it (an inline body: `to_apply={ ... }`) has used for
// something else. When its "}" comes, its instructions go to the module's
// arrays, so that callees stand before their callers. Names of all computations
// are in one table, which says to which computation a name belongs at present.
//
// After an error in an instruction the reader goes on at the next line that
// looks like one; what the broken one would have defined is known as broken, so
// that its users aren't complained about.
//
// For text/ alone. hlo_parser.cc: the module and its computations;
// hlo_parser_signature.cc: a computation's signature;
// hlo_parser_instruction.cc: one instruction; hlo_parser_operands.cc: its
// operands; hlo_parser_attributes.cc: its attributes; hlo_parser_known.cc: one
// like one before; async_sugar.cc: `add-start` and its kin;
// hlo_parser_finish.cc: from what was read to a Module.

#ifndef INDIM_TEXT_PARSE_HLO_PARSER_H_
#define INDIM_TEXT_PARSE_HLO_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module_data.h"
#include "indim/ir/text_positions.h"
#include "indim/shape/infer/infer.h"
#include "indim/storage/byte_hash.h"
#include "indim/storage/intern_index.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/line_counter.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/base/text_errors.h"
#include "indim/text/parse/hlo_header.h"
#include "indim/text/parse/line_cache.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/parse/shape_cache.h"
#include "indim/text/print/frame_table.h"
#include "indim/text/print/symbol_facts.h"

namespace indim {

class HloParser {
 public:
  // `text` and `options` must outlive the parser. `depth`: how many texts this
  // one is inside (origin_recovery_table).
  HloParser(absl::string_view text, const ParseOptions& options, int depth = 0);

  absl::StatusOr<Module> Parse();

 private:
  // Bodies in bodies and operands in operands, together. Every level takes
  // about 2 KB of stack. (XLA's own number is 8192, at which its parser has
  // long run out of stack.)
  static constexpr int kMaxNesting = 500;
  static constexpr int kMaxTexts = 4;
  // Parts of the shapes that the text leaves out, together, beside one for each
  // byte of it: tuples of tuples double with each line.
  static constexpr size_t kMaxLeftOutParts = size_t{1} << 16;
  // A position that stands for an instruction or a computation with an error.
  static constexpr uint32_t kBroken = ~uint32_t{0};

  // Control predecessors of one instruction: it is known only at the end of the
  // computation which ids they have.
  struct ControlText {
    uint32_t position;
    std::vector<std::pair<absl::string_view, size_t>> names;
  };

  // An open computation.
  struct Frame {
    absl::string_view name;
    uint32_t serial = 0;  // which computation: bindings_ refer to it
    std::vector<InstructionRecord> instructions;
    std::vector<absl::string_view> names;
    TextPositions places;
    absl::flat_hash_map<absl::string_view, uint32_t> shadowed;
    std::vector<ControlText> control;
    uint32_t root = kBroken;
    bool has_root = false;  // an instruction is marked ROOT
    // An instruction is left out, for an error in it or in what it depends on.
    bool is_broken = false;
    // What errors_.calls() was when it began: an error that was told before is
    // one all the same.
    int64_t errors_before = 0;
    // Parameters that a bare instruction's operands have made.
    int64_t made_parameters = 0;
  };

  // Which instruction a name means.
  struct Binding {
    absl::string_view name;
    uint32_t serial;
    uint32_t position;
  };

  // What is known of a finished computation, beside its record.
  struct ComputationFacts {
    absl::string_view name;
    bool is_fusion = false;
    bool is_async = false;
    // Where something else than an async op calls it first; npos: nowhere.
    size_t other_caller = absl::string_view::npos;
    std::string thread;
    std::unique_ptr<Signature> signature;  // made when asked for
  };

  // One instruction while it is read.
  struct Node {
    absl::string_view name;  // empty: made
    size_t offset = 0;       // of the name, or of what stands there instead
    TextPlace place;
    size_t opcode_offset = 0;
    absl::string_view opcode_text;
    Opcode opcode = Opcode::kInvalid;
    // Async sugar, `add-start`: opcode is kAsyncStart, this one kAdd.
    Opcode wrapped = Opcode::kInvalid;
    ShapeId shape;
    size_t first_operand = 0;  // in operands_, to its end
    bool is_root = false;
    bool nested = false;  // an operand of another: it has no attributes
    bool broken = false;  // an operand or a callee is
    AttributesRead attributes;
    MetadataId metadata;  // if attributes.has_known_metadata
    std::string literal;  // of a constant: canonical LiteralProto
    std::vector<uint32_t> callees;

    size_t operands_end = 0;    // behind their ")"
    size_t last_token_end = 0;  // of the attributes
    size_t attributes_end = 0;  // where the next token begins
    // For lines_; null: it has no line of its own.
    const LineText* line = nullptr;
  };
  using ShapeList = absl::InlinedVector<const Shape*, 6>;

  // --- hlo_parser.cc: modules and computations ------------------------------
  void ReadModule();
  // What the header says of symbols, before anything else is read.
  void ReadSymbolFacts();
  // The header's first line has the mark of a recorded module.
  bool LooksRecorded() const;
  // From here on symbols are those of that computation.
  void UseSymbolsOf(absl::string_view computation);
  void ReadBareInstructions();
  void SecondModule();
  void ReadComputation();
  // `{ instruction* }`. False where the body couldn't be read to its end.
  bool ReadBody(absl::string_view name, uint32_t* computation);
  Frame* OpenFrame(absl::string_view name);
  // The frame's instructions become a computation of the module.
  uint32_t CloseFrame();
  void ResolveControl(Frame* frame, int64_t computation_id);
  // To the next line that looks like an instruction or the end of a body, and
  // past `from`, where the one that couldn't be read begins; to the next
  // computation.
  void SkipInstruction(size_t from);
  void ExpectedBodyEnd(absl::string_view name, size_t begin);
  void SkipComputation();
  bool TooManyErrors() const {
    return errors_.errors().size() >= TextErrors::kMaxErrors;
  }
  Frame* frame() { return frames_[open_frames_ - 1].get(); }

  // --- hlo_parser_signature.cc ----------------------------------------------
  bool ReadSignature(ShapeId* result, size_t* offset);
  bool ReadSignatureParameters();
  bool CheckSignature(uint32_t computation, ShapeId result, size_t offset);
  bool CheckParameters(const Frame& frame, size_t offset);

  // --- hlo_parser_instruction.cc --------------------------------------------
  // `line`: what ReadKnownInstruction has found out.
  bool ReadInstruction(const LineText& line);
  // A name that isn't one of the words that mean something else.
  bool ReadNewName(absl::string_view* name);
  // From the shape on.
  bool ReadRightSide(Node* node, uint32_t* position);
  bool ReadOpcode(Node* node);
  bool ReadParameterNumber(Node* node);
  bool ReadConstant(Node* node);
  bool CheckName(const Node& node);
  bool CheckOperandCount(const Node& node);
  bool CheckGivenAttributes(const Node& node);
  // Whether a given result shape is one that the op can have at all, and what
  // XLA makes of it.
  bool SettleShape(Node* node);
  bool InferShapeOf(Node* node);
  // The parts of a shape that was left out; false: all have too many.
  bool CountLeftOut(const Shape& shape);
  uint32_t AddNode(Node* node);
  const Signature& SignatureOf(uint32_t computation);
  // Of the operands of `node`.
  ShapeList OperandShapes(const Node& node);
  const Shape& ShapeOf(uint32_t position);

  // --- hlo_parser_attributes.cc ----------------------------------------------
  bool ReadNodeAttributes(Node* node);
  // Whether the comma here goes on with operands, not with attributes.
  bool IsOperandNext();
  bool HasNoRequiredAttribute(const Node& node);
  OwnedAttributeBytes FieldsOf(Node* node);
  AttributeBytesId AddAttributeBytesOf(Node* node);
  bool ResolveCallees(Node* node);
  bool IsNameInBraces();
  bool ReadInlineBody(uint32_t* computation);
  bool FindCallee(const CalleeText& callee, uint32_t* computation);
  void NoteCallers(const Node& node);
  void NoteCaller(Opcode opcode, size_t offset, uint32_t callee);

  // --- hlo_parser_known.cc ---------------------------------------------------
  // Reads the instruction if one like it was read before; else the lexer stands
  // where it stood.
  bool ReadKnownInstruction(LineText* line);
  bool FindKnownInstruction(LineText* line);
  void AddKnownCallees(const LineText& line, Opcode opcode,
                       absl::Span<const uint32_t> callees);
  bool FindLine(size_t at, LineText* line);
  bool FindLineOperands(size_t* at);
  bool FindLineMetadata(const LineText& line, MetadataId* id);
  bool TakeLineOperands(Node* node);
  void TakeLineMetadata(Node* node);
  // Whether node.line's parts are known; then its name is a plain one.
  static bool IsLineKnown(const Node& node) {
    return node.line != nullptr && !node.line->head.empty();
  }
  // And its head stands where the grammar has read one.
  static bool IsLineOf(const Node& node);
  void RememberLine(const Node& node, uint32_t position);
  bool FindParameterAttributeBytes(absl::string_view number,
                                   AttributeBytesId like,
                                   AttributeBytesId* attribute_bytes);
  bool HasCalleeWhereSaid(const Node& node) const;

  // --- hlo_parser_operands.cc: names ----------------------------------------
  bool ReadOperands(Node* node);
  bool ReadOperandsEnd(absl::string_view expected = "");  // ")"
  bool ReadOperand(uint32_t* position);
  bool ReadNestedOperand(ShapeId shape, size_t offset, uint32_t* position);
  bool ReadTupleElements(absl::string_view name, size_t offset,
                         uint32_t* position);
  bool MakeParameter(absl::string_view name, ShapeId shape, size_t offset,
                     uint32_t* position);
  // kBroken and false after an error.
  bool FindName(absl::string_view name, size_t offset, uint32_t* position);
  // The position that a name means in a frame.
  std::optional<uint32_t> LookUp(const Frame& frame, absl::string_view name);
  // The same of a binding; null: of none.
  std::optional<uint32_t> Meaning(const Frame& frame, const Binding* binding);
  // Null: the name was not bound yet. Valid until the next Bind.
  Binding* FindBinding(absl::string_view name, uint64_t hash);
  void Define(absl::string_view name, size_t offset, uint32_t position);
  void Bind(absl::string_view name, uint32_t position);
  // The same for the binding that FindBinding gave.
  void Bind(Binding* binding, absl::string_view name, uint64_t hash,
            uint32_t position);
  bool CheckOperandShape(uint32_t position, ShapeId shape, size_t offset);
  // A copy that lives as long as the parser.
  absl::string_view Keep(std::string name);
  absl::string_view NameNested(Opcode opcode);

  // --- async_sugar.cc --------------------------------------------------------
  bool ReadAsyncSugar(Node* node);
  bool FinishAsync(Node* node);
  bool WrapAsync(Node* node);
  bool FollowAsync(Node* node);
  void ShareWithRoot(const AttributesRead& attributes, uint32_t computation);
  // The async-start at the beginning of the chain; null: there is none.
  const InstructionRecord* ChainStart(uint32_t position);

  // --- hlo_parser_finish.cc --------------------------------------------------
  absl::StatusOr<Module> Finish();
  void NameEverything();
  void SetIds();
  void SetThreads();
  void SetComputationFields();
  void SetModuleFields();
  void SetProgramShape();
  void NumberFrames(std::string* other_fields);
  MetadataId NumberFrame(MetadataId id, FrameTable* frames);
  void SetSchedule(std::string* other_fields);
  void SetAliases();
  void AppendModuleField(uint32_t number, absl::string_view bytes);
  bool CheckAsyncCallers();
  int64_t ComputationId(uint32_t computation) const;

  const absl::string_view text_;
  const ParseOptions& options_;
  SymbolScopes scopes_;  // of options_, and what the header says
  const int depth_;
  TextErrors errors_;
  Lexer lexer_;

  std::shared_ptr<ModuleData> data_ = std::make_shared<ModuleData>();
  Pools* pools_;
  ShapeCache shapes_;
  LineCache lines_;
  LineCounter line_counter_;
  std::vector<ShapeId> line_shapes_;  // of the operands of a line
  // Those of one that is not known, for the grammar.
  absl::InlinedVector<uint32_t, 8> line_operands_;
  std::string metadata_wire_;  // what FindLineMetadata has read last
  ModuleHeader header_;
  std::string frame_tables_;

  bool bare_ = false;  // the text is instructions, in no computation
  // A recorded module: shapes and names may be left out and stay so, sizes may
  // be symbols, and nothing is filled in that XLA would.
  bool recorded_ = false;
  uint32_t entry_ = kBroken;
  bool has_entry_mark_ = false;
  std::vector<std::unique_ptr<Frame>> frames_;  // the closed ones are reused
  size_t open_frames_ = 0;
  uint32_t next_serial_ = 0;
  int nesting_ = 0;

  std::vector<Binding> bindings_;
  InternIndex binding_index_;  // by name
  // Every instruction has a name of its own, written as XLA would make it.
  bool names_unique_ = true;
  std::vector<absl::string_view> instruction_names_;  // of the module's
  std::shared_ptr<TextPositions> places_;             // theirs
  absl::flat_hash_map<absl::string_view, uint32_t> computation_names_;
  std::vector<ComputationFacts> facts_;
  // Computation and thread of each async-start, in the text's order.
  std::vector<std::pair<uint32_t, std::string>> async_starts_;
  std::deque<std::string> kept_;
  // Names for operands that are instructions; null until there is one.
  std::unique_ptr<NameUniquer> nested_names_;

  std::vector<uint32_t> operands_;  // of the nodes that are being read
  size_t last_end_ = 0;             // behind the ")" that was read last
  // Where the innermost inline body ends, whatever is wrong in it.
  size_t skip_limit_ = absl::string_view::npos;
  size_t left_out_parts_ = 0;  // see kMaxLeftOutParts
  MetadataId no_metadata_;     // XLA writes an empty one
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_PARSER_H_
