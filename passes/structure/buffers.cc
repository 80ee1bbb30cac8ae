// SPDX-License-Identifier: Apache-2.0
// Checks buffers, b(f32[4]): values that are updated in place. Custom calls
// create them, change them and turn them back into arrays, and each is written
// once (XLA: VerifyBuffers).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kFrontendAttributes;
using field::HloInstructionProto::kOutputOperandAliasing;

// A call with this frontend attribute becomes asynchronous.
constexpr absl::string_view kStream = "_xla_stream_annotation";

// Tuples of tuples may share their elements and then have more parts than fit
// in memory. Of one shape at most this many are visited.
constexpr int kMaxShapeParts = 1 << 16;

// Calls f(index) on each buffer in `shape`, whose own path is `index`.
template <typename F>
void ForEachBuffer(const Shape& shape, int* parts, DimIndices* index,
                   const F& f) {
  if (++*parts > kMaxShapeParts) return;
  if (shape.is_buffer()) {
    f(*index);
    return;
  }
  if (!shape.is_tuple()) return;
  for (int64_t k = 0; k < shape.tuple_size() && *parts <= kMaxShapeParts; ++k) {
    index->push_back(k);
    ForEachBuffer(shape.elements()[static_cast<size_t>(k)], parts, index, f);
    index->pop_back();
  }
}
template <typename F>
void ForEachBuffer(const Shape& shape, const F& f) {
  DimIndices index;
  int parts = 0;
  ForEachBuffer(shape, &parts, &index, f);
}

bool HasBuffer(const Shape& shape) {
  bool found = false;
  ForEachBuffer(shape, [&](const DimIndices&) { found = true; });
  return found;
}

class BufferChecker {
 public:
  explicit BufferChecker(Context* context)
      : context_(context),
        data_(context->data),
        wrapped_(data_.computations.size()),
        loop_body_(data_.computations.size()) {
    for (const InstructionRecord& r : data_.instructions) {
      const bool async = IsAsync(r.opcode);
      for (const uint32_t callee : data_.Callees(r)) {
        if (async) wrapped_[callee] = true;
        if (r.opcode == Opcode::kWhile) loop_body_[callee] = true;
      }
    }
  }

  void Run() {
    for (uint32_t c = 0; c < data_.computations.size(); ++c) {
      ListUsers(c);
      for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
        // In a computation that an async-start wraps, check only the call.
        if (!wrapped_[c]) {
          Check(c, i);
        } else if (i == data_.computations[c].root &&
                   context_->At(c, i).opcode() == Opcode::kCustomCall) {
          CheckCustomCall(c, i);
        }
      }
    }
  }

 private:
  void ListUsers(uint32_t c) {
    users_.assign(data_.computations[c].count, {});
    const auto instructions = data_.Instructions(c);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      for (const uint32_t operand : data_.Operands(instructions[i])) {
        auto& users = users_[operand];
        if (users.empty() || users.back() != i) users.push_back(i);
      }
    }
  }

  void Check(uint32_t c, uint32_t i) {
    const Instruction here = context_->At(c, i);
    switch (here.opcode()) {
      case Opcode::kAsyncStart:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
        return;
      case Opcode::kCall:
        if (IsStreamed(here)) return;
        break;
      case Opcode::kCustomCall:
        CheckCustomCall(c, i);
        return;
      case Opcode::kWhile:
        CheckWriters(c, i);
        return;
      case Opcode::kParameter:
        if (c == data_.entry) ExpectNone(c, i, "its result", here.shape());
        CheckWriters(c, i);
        return;
      case Opcode::kDynamicUpdateSlice:
        if (here.operand_count() > 0 && here.operand(0).shape().is_buffer()) {
          CheckWriters(c, i);
          if (!here.shape().is_buffer() && !here.shape().is_none()) {
            context_->Add(Code::kBufferForm, c, i, "update a buffer",
                          "a buffer as result");
          }
          ExpectNoneInOperands(c, i, 1);
          return;
        }
        break;
      default:
        break;
    }
    ExpectNone(c, i, "its result", here.shape());
    ExpectNoneInOperands(c, i, 0);
  }

  static bool IsStreamed(const Instruction& call) {
    return FrontendAttribute(
               AttributeBytesField(internal::AttributeBytesOf(call),
                                   kFrontendAttributes),
               kStream)
        .has_value();
  }

  void ExpectNone(uint32_t c, uint32_t i, const std::string& what,
                  const Shape& shape) {
    bool reported = false;
    ForEachBuffer(shape, [&](const DimIndices& index) {
      if (reported) return;
      reported = true;
      context_->Add(Code::kBufferPlace, c, i, what, IndexText(index));
    });
  }
  void ExpectNoneInOperands(uint32_t c, uint32_t i, int first) {
    const Instruction here = context_->At(c, i);
    for (int k = first; k < here.operand_count(); ++k) {
      ExpectNone(c, i, absl::StrCat("operand ", k), here.operand(k).shape());
    }
  }

  void CheckCustomCall(uint32_t c, uint32_t i);
  // Checks the form of a call to `target`: `operands`, whether it has an
  // operand; `result`, whether its result is a buffer (and the operand an
  // array), or the reverse; `pairs`, the number of alias pairs.
  void ExpectForm(uint32_t c, uint32_t i, const std::string& target,
                  bool operands, bool result, int64_t pairs);
  void CheckPairs(uint32_t c, uint32_t i);

  void CheckWriters(uint32_t c, uint32_t i) {
    ForEachBuffer(context_->At(c, i).shape(), [&](const DimIndices& index) {
      const int64_t writers = Writers(c, i, index);
      if (writers <= 1) return;
      context_->Add(Code::kBufferWriters, c, i, IndexText(index), writers);
    });
  }
  // The number of instructions that write into the buffer at `index` of
  // instruction `i`, following tuples. It ends because users come later, and
  // visits each once.
  int64_t Writers(uint32_t c, uint32_t i, const DimIndices& index);

  Context* context_;
  const ModuleData& data_;
  std::vector<bool> wrapped_;
  std::vector<bool> loop_body_;
  std::vector<absl::InlinedVector<uint32_t, 2>> users_;
};

int64_t BufferChecker::Writers(uint32_t c, uint32_t i,
                               const DimIndices& index) {
  struct Part {
    uint32_t instruction;
    DimIndices index;
  };
  // Tuples of tuples could give any number of parts; beyond this, stop
  // counting.
  constexpr int64_t kEnough = 1000;
  int64_t writers = 0;
  int64_t looked_at = 0;
  std::vector<Part> parts = {{i, index}};
  while (!parts.empty() && looked_at < kEnough) {
    const Part part = std::move(parts.back());
    parts.pop_back();
    for (const uint32_t u : users_[part.instruction]) {
      if (++looked_at >= kEnough) break;
      const Instruction user = context_->At(c, u);
      const Opcode opcode = user.opcode();
      if (opcode == Opcode::kFusion || opcode == Opcode::kCall ||
          opcode == Opcode::kCustomCall || opcode == Opcode::kWhile ||
          opcode == Opcode::kConditional ||
          opcode == Opcode::kDynamicUpdateSlice) {
        ++writers;
      } else if (opcode == Opcode::kGetTupleElement) {
        const int64_t element =
            As<GetTupleElementAttributes>(user.attributes()).index;
        if (!part.index.empty() && part.index[0] == element) {
          parts.push_back(
              {u, DimIndices(part.index.begin() + 1, part.index.end())});
        }
      } else if (opcode == Opcode::kTuple) {
        if (u == data_.computations[c].root) {
          // The next turn of the loop may write into the buffer.
          if (loop_body_[c]) ++writers;
          continue;
        }
        Part inside = {u, {}};
        for (int k = 0; k < user.operand_count(); ++k) {
          if (user.operand(k).index() != static_cast<int>(part.instruction)) {
            continue;
          }
          inside.index.push_back(k);
          break;
        }
        inside.index.insert(inside.index.end(), part.index.begin(),
                            part.index.end());
        parts.push_back(std::move(inside));
      }
    }
  }
  return writers;
}

void BufferChecker::ExpectForm(uint32_t c, uint32_t i,
                               const std::string& target, bool operands,
                               bool result, int64_t pairs) {
  const Instruction call = context_->At(c, i);
  const FieldList fields = internal::FieldsOf(call);
  const auto tell = [&](absl::string_view what) {
    context_->Add(Code::kBufferForm, c, i, target, what);
  };
  const Shape none;
  const Shape& out = call.shape();
  const Shape& in =
      operands && call.operand_count() == 1 ? call.operand(0).shape() : none;
  if (!operands && call.operand_count() != 0) return tell("no operands");
  if (operands && (result ? !in.is_array() : !in.is_buffer())) {
    return tell(result ? "one operand, an array" : "one operand, a buffer");
  }
  if (result ? !out.is_buffer() : !out.is_array()) {
    return tell(result ? "a buffer as result" : "an array as result");
  }
  if (operands) {
    const Shape& array = result ? in : out;
    const Shape& held = (result ? out : in).elements()[0];
    if (!SameStructure(array, held)) return tell("one shape for both sides");
  }
  const int64_t given =
      static_cast<int64_t>(fields.Texts(kOutputOperandAliasing).size());
  if (pairs > 0 && given != pairs) {
    return tell("one pair of output_to_operand_aliasing");
  }
}

void BufferChecker::CheckCustomCall(uint32_t c, uint32_t i) {
  const Instruction call = context_->At(c, i);
  const std::string& target =
      As<CustomCallAttributes>(call.attributes()).target;
  if (call.shape().is_none()) return;
  switch (BufferCallOf(call)) {
    case BufferCall::kPin:
      ExpectForm(c, i, target, true, true, 1);
      break;
    case BufferCall::kCreate:
      ExpectForm(c, i, target, false, true, 0);
      break;
    case BufferCall::kUnpin:
      return ExpectForm(c, i, target, true, false, 1);
    case BufferCall::kNone:
      CheckPairs(c, i);
  }
  CheckWriters(c, i);
}

// Each buffer among the operands and in the result must be in exactly one pair.
void BufferChecker::CheckPairs(uint32_t c, uint32_t i) {
  namespace of = field::OutputOperandAliasing;
  const Instruction call = context_->At(c, i);
  bool any = HasBuffer(call.shape());
  for (int k = 0; k < call.operand_count(); ++k) {
    any = any || HasBuffer(call.operand(k).shape());
  }
  if (!any) return;
  const FieldList fields = internal::FieldsOf(call);
  absl::flat_hash_map<std::string, int64_t> pairs;
  for (absl::string_view text : fields.Texts(kOutputOperandAliasing)) {
    FieldList pair(WireMessage::kOutputOperandAliasing, text);
    ++pairs[absl::StrCat("its result",
                         IndexText(pair.Numbers(of::kOutputShapeIndex)))];
    ++pairs[absl::StrCat("operand ", pair.Number(of::kOperandIndex),
                         IndexText(pair.Numbers(of::kOperandShapeIndex)))];
  }
  const auto check = [&](const std::string& what, const Shape& shape) {
    ForEachBuffer(shape, [&](const DimIndices& index) {
      const int64_t count = pairs[absl::StrCat(what, IndexText(index))];
      if (count == 1) return;
      context_->Add(Code::kBufferPairs, c, i, what, IndexText(index), count);
    });
  };
  check("its result", call.shape());
  for (int k = 0; k < call.operand_count(); ++k) {
    check(absl::StrCat("operand ", k), call.operand(k).shape());
  }
}

}  // namespace

BufferCall BufferCallOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kCustomCall) return BufferCall::kNone;
  const std::string& target =
      As<CustomCallAttributes>(instruction.attributes()).target;
  if (target == kPinTarget) return BufferCall::kPin;
  if (target == kUnpinTarget) return BufferCall::kUnpin;
  return target == kCreateBufferTarget ? BufferCall::kCreate
                                       : BufferCall::kNone;
}

void CheckBuffers(Context* context) {
  // Few modules have buffers; their shapes show it.
  const ShapeTable& shapes = context->data.pools->shapes();
  absl::flat_hash_set<const Shape*> seen;
  bool any = false;
  const auto look = [&](const Shape& shape, const auto& self) -> void {
    if (any || shape.is_buffer()) {
      any = true;
      return;
    }
    // Visit shared elements once.
    if (!shape.is_tuple() || shape.elements().empty() ||
        !seen.insert(shape.elements().data()).second) {
      return;
    }
    for (const Shape& element : shape.elements()) self(element, self);
  };
  for (size_t k = 0; k < shapes.size() && !any; ++k) {
    look(shapes.shape(ShapeId{static_cast<uint32_t>(k)}), look);
  }
  if (any) BufferChecker(context).Run();
}

}  // namespace indim::structure
