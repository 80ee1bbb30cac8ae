// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/artifact_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/bytecode/op_names.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/bytecode/sections.h"

namespace indim::mlir {
namespace {

// An operation whose regions are being read.
struct OpBeingRead {
  OpId op;
  bool is_func = false;
  uint32_t next_region = 0;
  // Of the region that is being read.
  RegionId region;
  BlockId block;
  uint64_t blocks_left = 0;
  uint64_t ops_left = 0;
  size_t first_value = 0;  // in values_
  size_t next_value = 0;
  size_t end_value = 0;
  // Where the regions lie in a section of their own: what follows it, and the
  // values of the outer regions, which they don't see.
  bool isolated = false;
  bool in_section = false;
  Cursor after;
  size_t outer_scope = 0;
};

class Reader {
 public:
  explicit Reader(Sections sections)
      : sections_(std::move(sections)),
        entries_(&ir_, &sections_.sources),
        names_(&sections_, &entries_, &ir_) {}

  absl::StatusOr<Ir> Read();

 private:
  absl::Status ReadModule();
  absl::Status Step();
  absl::Status ReadRegion(OpBeingRead* frame);
  absl::Status ReadBlock(OpBeingRead* frame);
  absl::Status ReadArguments(OpBeingRead* frame);
  absl::Status ReadOp(OpBeingRead* frame);
  // Pops the frame.
  absl::Status EndOp();
  absl::Status BeginRegions(OpId op, const KnownName& name, bool isolated);

  // What an operation begins with.
  struct Head {
    const KnownName* name = nullptr;
    const OpAttributes* attributes = nullptr;
    AttrId location;
    uint8_t mask = 0;
  };
  absl::StatusOr<Head> ReadHead();
  absl::StatusOr<AttrId> Location();
  absl::Status ReadTypes(std::vector<TypeId>* types);
  absl::Status ReadOperands(std::vector<ValueId>* operands);
  void SkipUseListOrders(size_t values);
  absl::Status DefineResults(OpBeingRead* frame, size_t count, ValueId first);
  absl::Status Cast(OpBeingRead* frame);
  absl::Status CheckCounts(const KnownName& name, size_t regions) const;
  absl::Status Error(absl::string_view message,
                     Code code = Code::kArtifactMalformed) const {
    return BytecodeError(op_offset_, message, code);
  }

  Sections sections_;
  Ir ir_;
  EntryTable entries_;
  Cursor in_;
  size_t op_offset_ = 0;
  OpNames names_;
  std::vector<OpBeingRead> frames_;
  // The values that can be seen, by number behind scope_.
  std::vector<ValueId> values_;
  size_t scope_ = 0;
  // Of the operation that is being read.
  std::vector<ValueId> operands_;
  std::vector<TypeId> results_;
  Ir::OpParts parts_;
  // How many more values and regions, and copies of attributes, the bytes can
  // hold: each of the first two takes a byte, and operations share the last.
  size_t values_left_ = 0;
  size_t regions_left_ = 0;
  size_t attributes_left_ = 0;
};

absl::StatusOr<AttrId> Reader::Location() {
  const size_t number = in_.Index(entries_.attribute_count(), "location");
  if (!in_.ok()) return in_.status();
  const absl::StatusOr<AttrId> id = entries_.Attribute(number);
  if (!id.ok()) return id.status();
  const AttrKind kind = ir_.attr(*id).kind;
  if (kind == AttrKind::kUnknownLoc) return AttrId();
  if (kind < AttrKind::kUnknownLoc) {
    return Error("the location of the operation is another kind of attribute");
  }
  return *id;
}

// --- Operations --------------------------------------------------------------

absl::Status Reader::ReadTypes(std::vector<TypeId>* types) {
  types->clear();
  for (size_t left = in_.Count(); left > 0; --left) {
    const size_t number = in_.Index(entries_.type_count(), "type");
    if (!in_.ok()) break;
    const absl::StatusOr<TypeId> type = entries_.Type(number);
    if (!type.ok()) return type.status();
    types->push_back(*type);
  }
  return in_.status();
}

absl::Status Reader::ReadOperands(std::vector<ValueId>* operands) {
  operands->clear();
  for (size_t left = in_.Count(); left > 0; --left) {
    const size_t number = in_.Index(values_.size() - scope_, "value");
    if (!in_.ok()) break;
    const ValueId value = values_[scope_ + number];
    if (!value.valid()) {
      return Error(
          absl::StrCat("it uses value ", number, " before that is defined"),
          Code::kArtifactIndex);
    }
    operands->push_back(value);
  }
  return in_.status();
}

void Reader::SkipUseListOrders(size_t values) {
  size_t left = values > 1 ? in_.Count() : 1;
  for (; left > 0 && in_.ok(); --left) {
    if (values > 1) in_.Varint();
    uint64_t indices = in_.Varint() >> 1;
    if (indices > in_.remaining()) {
      in_.Fail("the artifact ends too early", Code::kArtifactTruncated);
    }
    for (; indices > 0 && in_.ok(); --indices) in_.Varint();
  }
}

absl::Status Reader::DefineResults(OpBeingRead* frame, size_t count,
                                   ValueId first) {
  if (count > frame->end_value - frame->next_value) {
    return Error("the region defines more values than it declares");
  }
  for (size_t i = 0; i < count; ++i) {
    values_[frame->next_value++] = {first.index + static_cast<uint32_t>(i)};
  }
  return absl::OkStatus();
}

// Between dialects, artifacts convert types that are the same in StableHLO.
absl::Status Reader::Cast(OpBeingRead* frame) {
  if (operands_.size() != results_.size() ||
      results_.size() > frame->end_value - frame->next_value) {
    return Error(
        "unrealized_conversion_cast must have as many results as operands");
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (ir_.type_of(operands_[i]) != results_[i]) {
      return Error("unrealized_conversion_cast changes a type");
    }
    values_[frame->next_value++] = operands_[i];
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckCounts(const KnownName& name, size_t regions) const {
  const auto check = [&](Count count, size_t actual,
                         absl::string_view what) -> absl::Status {
    if (count.Allows(actual)) return absl::OkStatus();
    return Error(
        absl::StrCat(name.row->name, " can't have ", actual, " ", what));
  };
  absl::Status status = check(name.row->operands, operands_.size(), "operands");
  if (status.ok())
    status = check(name.row->results, results_.size(), "results");
  if (status.ok()) status = check(name.row->regions, regions, "regions");
  return status;
}

absl::StatusOr<Reader::Head> Reader::ReadHead() {
  op_offset_ = in_.offset();
  Head head;
  const size_t number = in_.Index(names_.count(), "operation's name");
  head.mask = in_.Byte();
  if (!in_.ok()) return in_.status();
  const absl::StatusOr<const KnownName*> name = names_.Name(number, op_offset_);
  if (!name.ok()) return name.status();
  head.name = *name;
  const absl::StatusOr<AttrId> location = Location();
  if (!location.ok()) return location.status();
  head.location = *location;
  uint64_t dictionary = OpNames::kNothing;
  uint64_t properties = OpNames::kNothing;
  if ((head.mask & kHasAttributes) != 0) {
    dictionary = in_.Index(entries_.attribute_count(), "attribute");
  }
  if ((head.mask & kHasProperties) != 0) {
    properties = in_.Index(sections_.properties.size(), "properties");
  }
  if (!in_.ok()) return in_.status();
  const absl::StatusOr<const OpAttributes*> attributes =
      names_.Attributes(number, dictionary, properties, op_offset_);
  if (!attributes.ok()) return attributes.status();
  head.attributes = *attributes;
  return head;
}

absl::Status Reader::ReadOp(OpBeingRead* frame) {
  const absl::StatusOr<Head> head = ReadHead();
  if (!head.ok()) return head.status();
  const KnownName& name = *head->name;
  const uint8_t mask = head->mask;
  results_.clear();
  operands_.clear();
  absl::Status status;
  if ((mask & kHasResults) != 0) status = ReadTypes(&results_);
  if (status.ok() && (mask & kHasOperands) != 0) {
    status = ReadOperands(&operands_);
  }
  if (!status.ok()) return status;
  if ((mask & kHasSuccessors) != 0) {
    return Error("the operation has successors, which none of StableHLO's has");
  }
  if ((mask & kHasUseListOrders) != 0) SkipUseListOrders(results_.size());
  const uint64_t regions = (mask & kHasRegions) != 0 ? in_.Varint() : 0;
  if ((regions >> 1) > regions_left_) {
    in_.Fail("the operations have more regions than the artifact can hold");
  }
  if (head->attributes->size() > attributes_left_) {
    in_.Fail(
        "the operations repeat more attributes than an artifact of this size "
        "may");
  }
  if (!in_.ok()) return in_.status();
  regions_left_ -= static_cast<size_t>(regions >> 1);
  attributes_left_ -= head->attributes->size();
  --frame->ops_left;
  if (name.is_cast) return Cast(frame);
  status = CheckCounts(name, static_cast<size_t>(regions >> 1));
  if (!status.ok()) return status;

  parts_.name =
      name.is_return && frame->is_func ? ir_.Intern("func.return") : name.name;
  parts_.operands = operands_;
  parts_.results = results_;
  parts_.properties = head->attributes->properties;
  parts_.discardable = head->attributes->discardable;
  parts_.regions.clear();
  for (uint64_t i = 0; i < regions >> 1; ++i) {
    parts_.regions.push_back(ir_.AddRegion());
  }
  parts_.location = head->location;
  parts_.offset = op_offset_;
  const OpId op = ir_.AddOp(frame->block, &parts_);
  status = DefineResults(frame, results_.size(), ir_.op(op).first_result);
  if (!status.ok() || regions >> 1 == 0) return status;
  return BeginRegions(op, name, (regions & 1) != 0);
}

// --- Regions -----------------------------------------------------------------

absl::Status Reader::BeginRegions(OpId op, const KnownName& name,
                                  bool isolated) {
  OpBeingRead frame;
  frame.op = op;
  frame.is_func = name.row != nullptr && name.row->name == "func.func";
  frame.isolated = isolated;
  frame.outer_scope = scope_;
  if (isolated && sections_.format >= kRegionSections) {
    Cursor contents;
    const uint8_t id = ReadSection(&in_, &contents);
    if (!in_.ok()) return in_.status();
    if (id != kIrSection) {
      return Error("the operation's regions don't lie in an IR section");
    }
    frame.in_section = true;
    frame.after = in_;
    in_ = contents;
  }
  if (isolated) scope_ = values_.size();
  frames_.push_back(frame);
  return absl::OkStatus();
}

absl::Status Reader::EndOp() {
  const OpBeingRead& frame = frames_.back();
  if (frame.in_section) {
    if (!in_.AtEnd()) {
      return BytecodeError(in_.offset(), "bytes follow the last region");
    }
    in_ = frame.after;
  }
  scope_ = frame.outer_scope;
  frames_.pop_back();
  return absl::OkStatus();
}

absl::Status Reader::ReadRegion(OpBeingRead* frame) {
  frame->region = ir_.regions(ir_.op(frame->op))[frame->next_region++];
  frame->blocks_left = in_.Count();
  frame->first_value = values_.size();
  frame->next_value = values_.size();
  frame->end_value = values_.size();
  if (frame->blocks_left == 0) return in_.status();
  const size_t values = in_.Count();
  if (values > values_left_) {
    in_.Fail("the regions declare more values than the artifact can hold");
  }
  if (!in_.ok()) return in_.status();
  values_left_ -= values;
  frame->end_value += values;
  values_.resize(frame->end_value);
  return in_.status();
}

absl::Status Reader::ReadArguments(OpBeingRead* frame) {
  const size_t count = in_.Count();
  if (count > frame->end_value - frame->next_value) {
    in_.Fail("a block has more arguments than its region has values");
  }
  for (size_t left = count; left > 0 && in_.ok(); --left) {
    const size_t offset = in_.offset();
    uint64_t number = in_.Varint();
    bool has_location = true;
    if (sections_.format >= kShortBlockArguments) {
      has_location = (number & 1) != 0;
      number >>= 1;
    }
    if (in_.ok() && number >= entries_.type_count()) {
      in_.Fail("an argument has no type");
    }
    if (!in_.ok()) break;
    const absl::StatusOr<TypeId> type =
        entries_.Type(static_cast<size_t>(number));
    if (!type.ok()) return type.status();
    const absl::StatusOr<AttrId> location =
        has_location ? Location() : absl::StatusOr<AttrId>(AttrId());
    if (!location.ok()) return location.status();
    values_[frame->next_value++] =
        ir_.AddArgument(frame->block, *type, StringId(), *location, offset);
  }
  if (sections_.format >= kUseListOrders && in_.Byte() != 0) {
    SkipUseListOrders(count);
  }
  return in_.status();
}

absl::Status Reader::ReadBlock(OpBeingRead* frame) {
  --frame->blocks_left;
  const uint64_t head = in_.Varint();
  frame->ops_left = head >> 1;
  if (frame->ops_left > in_.remaining()) {
    in_.Fail("a block ends too early", Code::kArtifactTruncated);
  }
  if (!in_.ok()) return in_.status();
  // The module has its block already.
  frame->block = frame->op == ir_.module_op() ? ir_.module_block()
                                              : ir_.AddBlock(frame->region);
  return (head & 1) != 0 ? ReadArguments(frame) : absl::OkStatus();
}

absl::Status Reader::Step() {
  OpBeingRead& frame = frames_.back();
  if (frame.ops_left > 0) return ReadOp(&frame);
  if (frame.blocks_left > 0) return ReadBlock(&frame);
  if (frame.next_region > 0) values_.resize(frame.first_value);
  if (frame.next_region < ir_.op(frame.op).region_count) {
    return ReadRegion(&frame);
  }
  return EndOp();
}

// The section holds one operation, the module.
absl::Status Reader::ReadModule() {
  in_ = sections_.cursors[kIrSection];
  values_left_ = in_.remaining();
  regions_left_ = in_.remaining();
  attributes_left_ = (size_t{1} << 16) + 16 * in_.remaining();
  if (in_.Varint() != 2 && in_.ok()) {
    in_.Fail("the artifact must hold one operation, a module");
  }
  if (!in_.ok()) return in_.status();
  const absl::StatusOr<Head> head = ReadHead();
  if (!head.ok()) return head.status();
  const KnownName& name = *head->name;
  if (name.row == nullptr || name.row->name != "builtin.module" ||
      (head->mask & ~(kHasAttributes | kHasProperties)) != kHasRegions) {
    return Error("the outermost operation isn't a module");
  }
  ir_.MakeModule();
  ir_.SetLocation(ir_.module_op(), head->location);
  ir_.SetAttrs(ir_.module_op(), head->attributes->properties,
               head->attributes->discardable);
  const uint64_t regions = in_.Varint();
  if (in_.ok() && regions >> 1 != 1) in_.Fail("a module has one region");
  if (!in_.ok()) return in_.status();
  return BeginRegions(ir_.module_op(), name, (regions & 1) != 0);
}

absl::StatusOr<Ir> Reader::Read() {
  absl::Status status = entries_.Open(sections_.cursors[kEntrySizeSection],
                                      sections_.cursors[kEntrySection]);
  if (status.ok()) status = ReadModule();
  while (status.ok() && !frames_.empty()) {
    status = Step();
    if (status.ok() && frames_.size() == 1 && frames_[0].blocks_left > 0 &&
        frames_[0].block.valid()) {
      return Error("a module has one block");
    }
  }
  if (!status.ok()) return status;
  if (!in_.AtEnd()) {
    return BytecodeError(in_.offset(), "bytes follow the module");
  }
  return std::move(ir_);
}

}  // namespace

bool IsBytecode(absl::string_view bytes) {
  return absl::StartsWith(bytes, kBytecodeMagic);
}

absl::StatusOr<Version> ReleaseOfArtifact(absl::string_view bytes) {
  if (!IsBytecode(bytes)) return BytecodeError(0, "it isn't MLIR bytecode");
  Cursor in(bytes.substr(kBytecodeMagic.size()), kBytecodeMagic.size());
  in.Varint();
  absl::string_view producer = in.ZeroTerminated();
  if (!in.ok()) return in.status();
  if (!absl::ConsumePrefix(&producer, kProducer)) {
    return BytecodeError(
        0,
        absl::StrCat("'", producer.substr(0, 40),
                     "' wrote this bytecode; portable artifacts are "
                     "StableHLO's ('StableHLO_v1.16.0')"),
        Code::kArtifactRelease);
  }
  return ParseRelease(producer);
}

absl::StatusOr<Ir> ReadArtifact(absl::string_view bytes) {
  absl::StatusOr<Sections> sections = ReadSections(bytes);
  if (!sections.ok()) return sections.status();
  return Reader(*std::move(sections)).Read();
}

}  // namespace indim::mlir
