// HloParser: the parser behind ParseHloText (parse_hlo_text.h). It takes one
// pass over the text and builds no syntax tree.
//
// An open computation is a frame: it has the instructions, and names that a
// frame inside it (an inline body: `to_apply={ ... }`) uses for other
// instructions. At its "}" its instructions are appended to the module's
// arrays, so that callees precede their callers. One table has the names of all
// computations, with the computation to which each name currently belongs.
//
// After an error in an instruction the parser continues at the next line that
// looks like one. It marks the name of the wrong instruction as broken, so that
// its users cause no further errors.
//
// For text/ only. hlo_parser.cc: the module and its computations;
// hlo_parser_signature.cc: a computation's signature;
// hlo_parser_instruction.cc: one instruction; hlo_parser_operands.cc: its
// operands; hlo_parser_attributes.cc: its attributes; hlo_parser_known.cc:
// instructions that repeat an earlier one; async_sugar.cc: `add-start`,
// -update, -done; hlo_parser_finish.cc: makes the Module.

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
#include "indim/storage/column.h"
#include "indim/storage/intern_index.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/frame_table.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/line_counter.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/base/symbol_facts.h"
#include "indim/text/base/text_errors.h"
#include "indim/text/parse/hlo_header.h"
#include "indim/text/parse/line_cache.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/parse/shape_cache.h"

namespace indim {

class HloParser {
 public:
  // `text` and `options` must outlive the parser. `depth` is the number of
  // texts that this one is inside of (origin_recovery_table).
  HloParser(absl::string_view text, const ParseOptions& options, int depth = 0);

  absl::StatusOr<Module> Parse();

 private:
  // Nesting of bodies and operands, together. Each level takes about 2 KB of
  // stack. (XLA's limit is 8192, but its parser runs out of stack before.)
  static constexpr int kMaxNesting = 500;
  static constexpr int kMaxTexts = 4;
  // Limit of the parts of omitted shapes, together, in addition to one for each
  // byte of text: tuples of tuples double with each line.
  static constexpr size_t kMaxLeftOutParts = size_t{1} << 16;
  // The position of a broken instruction or computation.
  static constexpr uint32_t kBroken = ~uint32_t{0};

  // Control predecessors of an instruction: their names are resolved at the end
  // of the computation.
  struct ControlText {
    uint32_t position;
    std::vector<std::pair<absl::string_view, size_t>> names;
  };

  // An open computation.
  struct Frame {
    absl::string_view name;
    uint32_t serial = 0;  // the computation's number, for bindings_
    Column<InstructionRecord> instructions;
    std::vector<absl::string_view> names;
    TextPositions places;
    absl::flat_hash_map<absl::string_view, uint32_t> shadowed;
    std::vector<ControlText> control;
    uint32_t root = kBroken;
    bool has_root = false;  // an instruction is marked ROOT
    // Whether an instruction is missing, because of an error in it or in one
    // that it depends on.
    bool is_broken = false;
    // errors_.calls() at its beginning: an error that repeats an earlier one
    // counts too.
    int64_t errors_before = 0;
    // Parameters made for operands of a bare instruction.
    int64_t made_parameters = 0;
  };

  // The instruction that a name denotes.
  struct Binding {
    absl::string_view name;
    uint32_t serial;
    uint32_t position;
  };

  // Properties of a finished computation that its record lacks.
  struct ComputationFacts {
    absl::string_view name;
    bool is_fusion = false;
    bool is_async = false;
    // The offset of its first caller that isn't an async op; npos: none.
    size_t other_caller = absl::string_view::npos;
    std::string thread;
    std::unique_ptr<Signature> signature;  // made on demand
  };

  // An instruction while it is read.
  struct Node {
    absl::string_view name;  // empty: it gets a made name
    size_t offset = 0;       // of the name, or of the text in its place
    TextPlace place;
    size_t opcode_offset = 0;
    absl::string_view opcode_text;
    Opcode opcode = Opcode::kInvalid;
    // Async sugar, `add-start`: opcode is kAsyncStart, this one kAdd.
    Opcode wrapped = Opcode::kInvalid;
    ShapeId shape;
    size_t first_operand = 0;  // in operands_, up to its end
    bool is_root = false;
    bool nested = false;  // an operand of another one, without attributes
    bool broken = false;  // an operand or a callee is broken
    AttributesRead attributes;
    MetadataId metadata;  // if attributes.has_known_metadata
    std::string literal;  // of a constant: canonical LiteralProto
    std::vector<uint32_t> callees;

    size_t operands_end = 0;    // after their ")"
    size_t last_token_end = 0;  // of the attributes
    size_t attributes_end = 0;  // the beginning of the next token
    // The line for lines_; null: the instruction has no line of its own.
    const LineText* line = nullptr;
  };
  using ShapeList = absl::InlinedVector<const Shape*, 6>;

  // --- hlo_parser.cc: modules and computations ------------------------------
  void ReadModule();
  // Reads the header's facts about symbols, before anything else.
  void ReadSymbolFacts();
  // Whether the header's first line has the mark of a recorded module.
  bool LooksRecorded() const;
  // Uses the symbols of that computation from here on.
  void UseSymbolsOf(absl::string_view computation);
  void ReadBareInstructions();
  void SecondModule();
  void ReadComputation();
  // Reads `{ instruction* }`. False: the body couldn't be read to its end.
  bool ReadBody(absl::string_view name, uint32_t* computation);
  Frame* OpenFrame(absl::string_view name);
  // Makes the frame's instructions a computation of the module.
  uint32_t CloseFrame();
  void ResolveControl(Frame* frame, int64_t computation_id);
  // Skip to the next line that looks like an instruction or the end of a body,
  // and is after `from`, the beginning of the broken instruction; or to the
  // next computation.
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

  // `line` is what ReadKnownInstruction found.
  bool ReadInstruction(const LineText& line);
  // Reads a name that isn't a reserved word.
  bool ReadNewName(absl::string_view* name);
  // Reads from the shape on.
  bool ReadRightSide(Node* node, uint32_t* position);
  bool ReadOpcode(Node* node);
  bool ReadParameterNumber(Node* node);
  bool ReadConstant(Node* node);
  bool CheckName(const Node& node);
  bool CheckOperandCount(const Node& node);
  bool CheckGivenAttributes(const Node& node);
  // Checks that the op can have the given result shape, and sets the shape that
  // XLA makes of it.
  bool SetResultShape(Node* node);
  bool InferShapeOf(Node* node);
  // Counts the parts of an omitted shape; false: too many, in all.
  bool CountLeftOut(const Shape& shape);
  uint32_t AddNode(Node* node);
  const Signature& SignatureOf(uint32_t computation);
  // The shapes of the operands of `node`.
  ShapeList OperandShapes(const Node& node);
  const Shape& ShapeOf(uint32_t position);

  // --- hlo_parser_attributes.cc ----------------------------------------------
  bool ReadNodeAttributes(Node* node);
  // Whether an operand follows the comma here, not an attribute.
  bool IsOperandNext();
  bool HasNoRequiredAttribute(const Node& node);
  OwnedAttributeBytes FieldsOf(Node* node);
  AttributeBytesId AddAttributeBytesOf(Node* node);
  bool ResolveCallees(Node* node);
  bool IsNameInBraces();
  bool ReadInlineBody(uint32_t* computation);
  bool FindCallee(const CalleeText& callee, uint32_t* computation);
  void RecordCallers(const Node& node);
  void RecordCaller(Opcode opcode, size_t offset, uint32_t callee);

  // --- hlo_parser_known.cc ---------------------------------------------------

  // Reads an instruction that repeats an earlier one; otherwise the lexer
  // doesn't move.
  bool ReadKnownInstruction(LineText* line);
  bool FindKnownInstruction(LineText* line);
  void AddKnownCallees(const LineText& line, Opcode opcode,
                       absl::Span<const uint32_t> callees);
  bool FindLine(size_t at, LineText* line);
  bool FindLineOperands(size_t* at);
  bool FindLineMetadata(const LineText& line, MetadataId* id);
  bool TakeLineOperands(Node* node);
  void TakeLineMetadata(Node* node);
  // Whether the parts of node.line are known; then its name is plain.
  static bool IsLineKnown(const Node& node) {
    return node.line != nullptr && !node.line->head.empty();
  }
  // Whether the grammar read the head of node.line at its position.
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
  // False after an error, with *position kBroken.
  bool FindName(absl::string_view name, size_t offset, uint32_t* position);
  // The position that a name denotes in a frame.
  std::optional<uint32_t> LookUp(const Frame& frame, absl::string_view name);
  // The position for a binding; nullopt for null.
  std::optional<uint32_t> Meaning(const Frame& frame, const Binding* binding);
  // Null: the name isn't bound yet. Valid until the next Bind.
  Binding* FindBinding(absl::string_view name, uint64_t hash);
  void Define(absl::string_view name, size_t offset, uint32_t position);
  void Bind(absl::string_view name, uint32_t position);
  // Bind with the result of FindBinding.
  void Bind(Binding* binding, absl::string_view name, uint64_t hash,
            uint32_t position);
  bool CheckOperandShape(uint32_t position, ShapeId shape, size_t offset);
  // Copies `name` to memory that lives as long as the parser.
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
  SymbolScopes scopes_;  // of options_, and of the header
  const int depth_;
  TextErrors errors_;
  Lexer lexer_;

  std::shared_ptr<ModuleData> data_ = std::make_shared<ModuleData>();
  Pools* pools_;
  ShapeCache shapes_;
  LineCache lines_;
  LineCounter line_counter_;
  std::vector<ShapeId> line_shapes_;  // of a line's operands
  // The operands of a line that isn't known, for the grammar.
  absl::InlinedVector<uint32_t, 8> line_operands_;
  std::string metadata_wire_;  // the last metadata that FindLineMetadata read
  ModuleHeader header_;
  std::string frame_tables_;

  bool bare_ = false;  // the text is instructions without a computation
  // A recorded module: shapes and names may be omitted and stay so, sizes may
  // be symbols, and XLA's defaults aren't filled in.
  bool recorded_ = false;
  uint32_t entry_ = kBroken;
  bool has_entry_mark_ = false;
  std::vector<std::unique_ptr<Frame>> frames_;  // closed frames are reused
  size_t open_frames_ = 0;
  uint32_t next_serial_ = 0;
  int nesting_ = 0;

  std::vector<Binding> bindings_;
  InternIndex binding_index_;  // by name
  // Whether all instruction names are unique and spelled as XLA would make
  // them.
  bool names_unique_ = true;
  std::vector<absl::string_view> instruction_names_;  // of the module
  std::shared_ptr<TextPositions> places_;  // of the same instructions
  absl::flat_hash_map<absl::string_view, uint32_t> computation_names_;
  std::vector<ComputationFacts> facts_;
  // Computation and thread of each async-start, in the order of the text.
  std::vector<std::pair<uint32_t, std::string>> async_starts_;
  std::deque<std::string> kept_;
  // Names for operands that are instructions; null while there is none.
  std::unique_ptr<NameUniquer> nested_names_;

  std::vector<uint32_t> operands_;  // of the nodes that are open
  size_t last_end_ = 0;             // after the last ")"
  // The end of the innermost inline body, even if there are errors in it.
  size_t skip_limit_ = absl::string_view::npos;
  size_t left_out_parts_ = 0;  // see kMaxLeftOutParts
  MetadataId no_metadata_;     // XLA writes empty metadata
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_HLO_PARSER_H_
