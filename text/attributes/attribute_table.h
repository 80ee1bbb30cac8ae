// The rows of attribute_text.def as data: the text attributes of each op.

#ifndef INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_
#define INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// The spelling of a value; each kind has one reader and one printer
// (attribute_values.h).
enum class ValueKind : uint8_t {
  // Numbers, words, texts.
  kInt,       // 3
  kInt32,     // 3
  kBool,      // true
  kFloat,     // 1e-05
  kWord,      // a word of a list; the field has its number
  kWordText,  // a word of a list; the field has the word
  kText,      // "..." in UTF-8
  // Lists of integers.
  kInts,           // {0,1}
  kBroadcastDims,  // {0,1}; an empty list differs from none
  kOneInt,         // {0}: exactly one
  kIntOfList,      // 0; a list of one on the wire
  kPairs,          // {{0,1},{1,0}}: SourceTarget
  // For each dimension.
  kWindow,      // {size=3x3 pad=1_1x1_1}
  kDimLabels,   // b01f_01io->b01f
  kPadding,     // 0_1x0_1_1
  kSlice,       // {[0:4:2], [1:3]}
  kPrecisions,  // {high,default}
  kSparsity,    // {lhs={sparsity=2x4 dimension=1 stride=1 idx=2}}
  // Special values.
  kChannel,        // 3; printed when above 0; old files have it in field 45 too
  kComparison,     // TOTALORDER; printed when it isn't the type's default
  kMapDimensions,  // {0,1}; always all dims of the result
  kTriState,       // true, false: 1, 2
  kSliceSizes,     // {{2,3},{4,5}}; flat on the wire
  kPrefetch,       // 0; old files have it in field 73 too
  kReplication,    // {true,false}
  kFeedConfig,     // "...", if the options show it
  kShape,          // f32[2]{0}
  kConstrainLayout,  // false; the shapes imply true
  kShapes,           // {f32[2]{0}, s32[]}
  kLiteral,          // f32[2] {1, 2}
  kDomain,           // {kind="sharding", entry={...}, exit={...}}
  kAliasing,         // { {0}: (1, {}), {1}: (0, {2}) }
  kAccuracy,         // {mode=highest}, {tolerance={atol=1,rtol=0,ulps=2}}
  kStatistics,       // {visualizing_index=0,count=1}
  kOrigin,           // {({"a"}, {"b" {0}})}
  kFrontend,         // {key="value",other={json}}
  kConfig,           // {json} or "..."
  kSharding,         // sharding_text.h
  kReplicaGroups,    // sharding_text.h
  // Values that aren't fields of the instruction's attribute bytes.
  kFirstCall,   // %name or { body }
  kSecondCall,  // the same, second in called_computation_ids
  kCalls,       // {%a, %b}
  kNames,       // {%a, %b}: instructions
  kMetadata,    // metadata_text.h
  kThread,      // "parallel"
};
inline constexpr size_t kValueKinds =
    static_cast<size_t>(ValueKind::kThread) + 1;

// When the printer shows an attribute.
enum class Show : uint8_t {
  kAlways,
  kNever,     // hlo_printer prints it, or nothing does
  kGiven,     // the field is there
  kFilled,    // a list or text that isn't empty
  kNotZero,   // a number
  kNotOne,    // a number
  kAboveOne,  // a number: 0 counts as 1
  kItself,    // its kind's printer decides
  kInside,    // its kind's printer decides, if the outermost field is there
};

// The position among an instruction's printed attributes.
enum class Part : uint8_t {
  kOwn,
  kRecorded,
  kCalls,
  kDevices,
  kControl,
  kLate,
  kMetadata,
  kConfig
};

struct TextAttribute {
  absl::string_view set;  // the name in the row
  absl::string_view name;
  ValueKind kind;
  // The field of HloInstructionProto, then fields inside it, then 0. path[0] ==
  // 0: no field.
  std::array<uint32_t, 4> path;
  const AttributeWords* words;
  bool required;
  Show show;
  Part part;
};

// All rows in the table's order.
absl::Span<const TextAttribute> AllTextAttributes();
// The rows of `opcode` in the order in which they are printed. An opcode
// outside the table has the rows of all ops.
absl::Span<const TextAttribute* const> TextAttributesOf(Opcode opcode);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_ATTRIBUTE_TABLE_H_
