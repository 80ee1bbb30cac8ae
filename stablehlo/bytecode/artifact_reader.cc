#include "indim/stablehlo/bytecode/artifact_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/bytecode/entries.h"
#include "indim/stablehlo/bytecode/release.h"
#include "indim/stablehlo/bytecode/sections.h"
#include "indim/stablehlo/bytecode/vhlo_attributes.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"

namespace indim::mlir {
namespace {

// The parts of an encoded operation.
enum OpMask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseListOrders = 32,
  kHasProperties = 64
};

// An operation's name, once it was seen.
struct KnownName {
  bool seen = false;
  bool is_cast = false;    // builtin.unrealized_conversion_cast
  bool is_return = false;  // func.return or stablehlo.return, by parent
  const VhloOp* vhlo = nullptr;
  const OpRow* row = nullptr;
  StringId name;
};

struct OpAttributes {
  std::vector<NamedAttr> properties;
  std::vector<NamedAttr> discardable;
};

// An operation whose regions are being read.
struct Frame {
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
        names_(sections_.op_names.size()) {}

  absl::StatusOr<Ir> Read();

 private:
  absl::Status ReadModule();
  absl::Status Step();
  absl::Status ReadRegion(Frame* frame);
  absl::Status ReadBlock(Frame* frame);
  absl::Status ReadArguments(Frame* frame);
  absl::Status ReadOp(Frame* frame);
  // Pops the frame.
  absl::Status EndOp();
  absl::Status BeginRegions(OpId op, const KnownName& name, uint64_t count,
                            bool isolated);

  const KnownName* Name(size_t number);
  absl::Status Learn(size_t number);
  absl::StatusOr<OpAttributes> ReadAttributes(size_t name_number, uint8_t mask);
  // The properties of an operation from the section of properties.
  absl::StatusOr<std::vector<NamedAttr>> Properties(const KnownName& name,
                                                    Cursor in);
  // Sorts an old operation's attributes into its own and others.
  absl::StatusOr<OpAttributes> Split(const KnownName& name,
                                     const std::vector<NamedAttr>& attributes);
  absl::StatusOr<AttrId> Location();
  absl::Status ReadTypes(std::vector<TypeId>* types);
  absl::Status ReadOperands(std::vector<ValueId>* operands);
  void SkipUseListOrders(size_t values);
  absl::Status DefineResults(Frame* frame, size_t count, ValueId first);
  absl::Status Cast(Frame* frame);
  absl::Status CheckCounts(const KnownName& name, size_t regions) const;
  absl::Status Error(absl::string_view message) const {
    return BytecodeError(op_offset_, message);
  }

  Sections sections_;
  Ir ir_;
  EntryTable entries_;
  Cursor in_;
  size_t op_offset_ = 0;
  std::vector<KnownName> names_;
  // By numbers of the operation's name, attributes and properties.
  absl::flat_hash_map<std::pair<uint64_t, std::pair<uint64_t, uint64_t>>,
                      OpAttributes>
      attributes_;
  std::vector<Frame> frames_;
  // The values that can be seen, by number behind scope_.
  std::vector<ValueId> values_;
  size_t scope_ = 0;
  // Of the operation that is being read.
  std::vector<ValueId> operands_;
  std::vector<TypeId> results_;
  // How many more values and regions, and copies of attributes, the bytes can
  // hold: each of the first two takes a byte, and operations share the last.
  size_t values_left_ = 0;
  size_t regions_left_ = 0;
  size_t attributes_left_ = 0;
};

// --- Names and attributes ----------------------------------------------------

absl::Status Reader::Learn(size_t number) {
  KnownName& known = names_[number];
  const OpNameEntry& entry = sections_.op_names[number];
  const absl::string_view dialect = sections_.sources.dialects[entry.dialect];
  known.seen = true;
  if (dialect == "vhlo") {
    known.vhlo = FindVhloOp(entry.name);
    if (known.vhlo == nullptr) {
      return Error(absl::StrCat("vhlo.", entry.name,
                                " is no operation of StableHLO up to ",
                                ToString(kNewestRelease)));
    }
    known.row = known.vhlo->row;
    known.is_return = known.row->name == "stablehlo.return";
  } else if (dialect == "builtin" || dialect == "sdy") {
    const std::string name = absl::StrCat(dialect, ".", entry.name);
    known.is_cast = name == "builtin.unrealized_conversion_cast";
    known.row = FindOp(name);
    if (known.row == nullptr && !known.is_cast) {
      return Error(absl::StrCat(name, " is an unknown operation"));
    }
  } else {
    return Error(
        absl::StrCat(dialect, ".", entry.name,
                     " can't be in a portable artifact, which holds ",
                     "operations of the dialects vhlo, builtin and sdy"));
  }
  if (known.row != nullptr) known.name = ir_.Intern(known.row->name);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<NamedAttr>> Reader::Properties(const KnownName& name,
                                                          Cursor in) {
  std::vector<AttrId> values;
  const auto attribute = [&](bool optional) -> absl::StatusOr<AttrId> {
    // Older versions of a dialect lack attributes at the end.
    if (optional && in.AtEnd()) return AttrId();
    uint64_t number = in.Varint();
    if (optional && (number & 1) == 0) return AttrId();
    if (optional) number >>= 1;
    if (!in.ok()) return in.status();
    if (number >= entries_.attribute_count()) {
      return BytecodeError(in.offset(), "there is no such attribute");
    }
    return entries_.Attribute(static_cast<size_t>(number));
  };
  std::vector<NamedAttr> properties;
  if (name.vhlo != nullptr) {
    for (size_t i = 0; i < name.vhlo->slots.size(); ++i) {
      absl::StatusOr<AttrId> value = attribute(/*optional=*/false);
      if (!value.ok()) return value.status();
      values.push_back(*value);
    }
    absl::StatusOr<std::vector<NamedAttr>> result =
        PropertiesOfVhlo(*name.vhlo, values, &ir_);
    if (!result.ok()) return Error(result.status().message());
    properties = *std::move(result);
  } else if (name.row != nullptr) {
    std::vector<const AttributeRow*> rows;
    for (const AttributeRow& row : name.row->attributes) rows.push_back(&row);
    std::sort(rows.begin(), rows.end(),
              [](const AttributeRow* a, const AttributeRow* b) {
                return a->name < b->name;
              });
    for (const AttributeRow* const row : rows) {
      absl::StatusOr<AttrId> value = attribute(!row->required);
      if (!value.ok()) return value.status();
      if (value->valid()) properties.push_back({ir_.Intern(row->name), *value});
    }
  }
  if (in.ok() && !in.AtEnd()) in.Fail("bytes follow an operation's properties");
  if (!in.ok()) return in.status();
  return properties;
}

absl::StatusOr<OpAttributes> Reader::Split(
    const KnownName& name, const std::vector<NamedAttr>& attributes) {
  OpAttributes result;
  std::vector<AttrId> values(name.vhlo != nullptr ? name.vhlo->slots.size()
                                                  : 0);
  for (const NamedAttr& attribute : attributes) {
    const absl::string_view text = ir_.text(attribute.name);
    if (name.vhlo != nullptr) {
      const std::vector<VhloSlot>& slots = name.vhlo->slots;
      const auto slot =
          std::find_if(slots.begin(), slots.end(),
                       [&](const VhloSlot& s) { return s.name == text; });
      if (slot != slots.end()) {
        values[static_cast<size_t>(slot - slots.begin())] = attribute.value;
        continue;
      }
    } else if (name.row != nullptr &&
               FindAttribute(*name.row, text) != nullptr) {
      result.properties.push_back(attribute);
      continue;
    }
    result.discardable.push_back(attribute);
  }
  if (name.vhlo == nullptr) return result;
  absl::StatusOr<std::vector<NamedAttr>> properties =
      PropertiesOfVhlo(*name.vhlo, values, &ir_);
  if (!properties.ok()) return Error(properties.status().message());
  result.properties = *std::move(properties);
  return result;
}

absl::StatusOr<OpAttributes> Reader::ReadAttributes(size_t name_number,
                                                    uint8_t mask) {
  const KnownName& name = names_[name_number];
  constexpr uint64_t kNothing = ~uint64_t{0};
  uint64_t dictionary = kNothing;
  uint64_t properties = kNothing;
  if ((mask & kHasAttributes) != 0) {
    dictionary = in_.Index(entries_.attribute_count(), "attribute");
  }
  if ((mask & kHasProperties) != 0) {
    properties = in_.Index(sections_.properties.size(), "properties");
  }
  if (!in_.ok()) return in_.status();
  const auto key = std::make_pair(uint64_t{name_number},
                                  std::make_pair(dictionary, properties));
  const auto found = attributes_.find(key);
  if (found != attributes_.end()) return found->second;

  OpAttributes result;
  std::vector<NamedAttr> fields;
  if (dictionary != kNothing) {
    const absl::StatusOr<AttrId> id =
        entries_.Attribute(static_cast<size_t>(dictionary));
    if (!id.ok()) return id.status();
    const Attribute& attribute = ir_.attr(*id);
    if (attribute.kind != AttrKind::kDictionary) {
      return Error("its attributes aren't a dictionary");
    }
    fields = attribute.fields;
  }
  if (sections_.format < kProperties) {
    absl::StatusOr<OpAttributes> split = Split(name, fields);
    if (!split.ok()) return split.status();
    result = *std::move(split);
  } else {
    absl::StatusOr<std::vector<NamedAttr>> own =
        properties != kNothing
            ? Properties(name,
                         sections_.properties[static_cast<size_t>(properties)])
        : name.vhlo != nullptr && !name.vhlo->slots.empty()
            ? Error("it has no properties")
            : absl::StatusOr<std::vector<NamedAttr>>(std::vector<NamedAttr>());
    if (!own.ok()) return own.status();
    result.properties = *std::move(own);
    result.discardable = std::move(fields);
  }
  return attributes_.emplace(key, std::move(result)).first->second;
}

absl::StatusOr<AttrId> Reader::Location() {
  const size_t number = in_.Index(entries_.attribute_count(), "location");
  if (!in_.ok()) return in_.status();
  const absl::StatusOr<AttrId> id = entries_.Attribute(number);
  if (!id.ok()) return id.status();
  const AttrKind kind = ir_.attr(*id).kind;
  if (kind == AttrKind::kUnknownLoc) return AttrId();
  if (kind < AttrKind::kUnknownLoc) return Error("its location isn't one");
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
          absl::StrCat("it uses value ", number, " before that is defined"));
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
    if (indices > in_.remaining()) in_.Fail("it ends too early");
    for (; indices > 0 && in_.ok(); --indices) in_.Varint();
  }
}

absl::Status Reader::DefineResults(Frame* frame, size_t count, ValueId first) {
  if (count > frame->end_value - frame->next_value) {
    return Error("its region defines more values than it says");
  }
  for (size_t i = 0; i < count; ++i) {
    values_[frame->next_value++] = {first.index + static_cast<uint32_t>(i)};
  }
  return absl::OkStatus();
}

// Between dialects, artifacts convert types that are the same in StableHLO.
absl::Status Reader::Cast(Frame* frame) {
  if (operands_.size() != results_.size() ||
      results_.size() > frame->end_value - frame->next_value) {
    return Error("a conversion doesn't have a result for each operand");
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (ir_.type_of(operands_[i]) != results_[i]) {
      return Error("a conversion changes a type");
    }
    values_[frame->next_value++] = operands_[i];
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckCounts(const KnownName& name, size_t regions) const {
  const auto check = [&](Count count, size_t actual,
                         absl::string_view what) -> absl::Status {
    if (actual >= static_cast<size_t>(count.least) &&
        (count.most < 0 || actual <= static_cast<size_t>(count.most))) {
      return absl::OkStatus();
    }
    return Error(
        absl::StrCat(name.row->name, " can't have ", actual, " ", what));
  };
  absl::Status status = check(name.row->operands, operands_.size(), "operands");
  if (status.ok())
    status = check(name.row->results, results_.size(), "results");
  if (status.ok()) status = check(name.row->regions, regions, "regions");
  return status;
}

absl::Status Reader::ReadOp(Frame* frame) {
  op_offset_ = in_.offset();
  const size_t number = in_.Index(names_.size(), "operation's name");
  const uint8_t mask = in_.Byte();
  if (!in_.ok()) return in_.status();
  if (!names_[number].seen) {
    const absl::Status status = Learn(number);
    if (!status.ok()) return status;
  }
  const KnownName& name = names_[number];
  const absl::StatusOr<AttrId> location = Location();
  if (!location.ok()) return location.status();
  absl::StatusOr<OpAttributes> attributes = ReadAttributes(number, mask);
  if (!attributes.ok()) return attributes.status();
  results_.clear();
  operands_.clear();
  absl::Status status;
  if ((mask & kHasResults) != 0) status = ReadTypes(&results_);
  if (status.ok() && (mask & kHasOperands) != 0) {
    status = ReadOperands(&operands_);
  }
  if (!status.ok()) return status;
  if ((mask & kHasSuccessors) != 0) return Error("it has successors");
  if ((mask & kHasUseListOrders) != 0) SkipUseListOrders(results_.size());
  const uint64_t regions = (mask & kHasRegions) != 0 ? in_.Varint() : 0;
  if ((regions >> 1) > regions_left_) in_.Fail("it has too many regions");
  const size_t count =
      attributes->properties.size() + attributes->discardable.size();
  if (count > attributes_left_) {
    in_.Fail("its operations repeat too many attributes");
  }
  if (!in_.ok()) return in_.status();
  regions_left_ -= static_cast<size_t>(regions >> 1);
  attributes_left_ -= count;
  --frame->ops_left;
  if (name.is_cast) return Cast(frame);
  status = CheckCounts(name, static_cast<size_t>(regions >> 1));
  if (!status.ok()) return status;

  Ir::OpParts parts;
  parts.name =
      name.is_return && frame->is_func ? ir_.Intern("func.return") : name.name;
  parts.operands = operands_;
  parts.results = results_;
  parts.properties = std::move(attributes->properties);
  parts.discardable = std::move(attributes->discardable);
  for (uint64_t i = 0; i < regions >> 1; ++i) {
    parts.regions.push_back(ir_.AddRegion());
  }
  parts.location = *location;
  parts.offset = op_offset_;
  const OpId op = ir_.AddOp(frame->block, std::move(parts));
  status = DefineResults(frame, results_.size(), ir_.op(op).first_result);
  if (!status.ok() || regions >> 1 == 0) return status;
  return BeginRegions(op, name, regions >> 1, (regions & 1) != 0);
}

// --- Regions -----------------------------------------------------------------

absl::Status Reader::BeginRegions(OpId op, const KnownName& name,
                                  uint64_t count, bool isolated) {
  Frame frame;
  frame.op = op;
  frame.is_func = name.row != nullptr && name.row->name == "func.func";
  frame.isolated = isolated;
  frame.outer_scope = scope_;
  static_cast<void>(count);
  if (isolated && sections_.format >= kRegionSections) {
    Cursor contents;
    const uint8_t id = ReadSection(&in_, &contents);
    if (!in_.ok()) return in_.status();
    if (id != kIrSection) return Error("its regions aren't in a section of IR");
    frame.in_section = true;
    frame.after = in_;
    in_ = contents;
  }
  if (isolated) scope_ = values_.size();
  frames_.push_back(frame);
  return absl::OkStatus();
}

absl::Status Reader::EndOp() {
  const Frame& frame = frames_.back();
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

absl::Status Reader::ReadRegion(Frame* frame) {
  frame->region = ir_.regions(ir_.op(frame->op))[frame->next_region++];
  frame->blocks_left = in_.Count();
  frame->first_value = values_.size();
  frame->next_value = values_.size();
  frame->end_value = values_.size();
  if (frame->blocks_left == 0) return in_.status();
  const size_t values = in_.Count();
  if (values > values_left_) in_.Fail("its regions have too many values");
  if (!in_.ok()) return in_.status();
  values_left_ -= values;
  frame->end_value += values;
  values_.resize(frame->end_value);
  return in_.status();
}

absl::Status Reader::ReadArguments(Frame* frame) {
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

absl::Status Reader::ReadBlock(Frame* frame) {
  --frame->blocks_left;
  const uint64_t head = in_.Varint();
  frame->ops_left = head >> 1;
  if (frame->ops_left > in_.remaining()) in_.Fail("a block ends too early");
  if (!in_.ok()) return in_.status();
  // The module has its block already.
  frame->block = frame->op == ir_.module_op() ? ir_.module_block()
                                              : ir_.AddBlock(frame->region);
  return (head & 1) != 0 ? ReadArguments(frame) : absl::OkStatus();
}

absl::Status Reader::Step() {
  Frame& frame = frames_.back();
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
    in_.Fail("it doesn't hold one operation, a module");
  }
  op_offset_ = in_.offset();
  const size_t number = in_.Index(names_.size(), "operation's name");
  const uint8_t mask = in_.Byte();
  if (!in_.ok()) return in_.status();
  const absl::Status status = Learn(number);
  if (!status.ok()) return status;
  const KnownName& name = names_[number];
  if (name.row == nullptr || name.row->name != "builtin.module" ||
      (mask & ~(kHasAttributes | kHasProperties)) != kHasRegions) {
    return Error("its outermost operation isn't a module");
  }
  const absl::StatusOr<AttrId> location = Location();
  if (!location.ok()) return location.status();
  absl::StatusOr<OpAttributes> attributes = ReadAttributes(number, mask);
  if (!attributes.ok()) return attributes.status();
  ir_.MakeModule();
  ir_.SetLocation(ir_.module_op(), *location);
  ir_.SetAttrs(ir_.module_op(), std::move(attributes->properties),
               std::move(attributes->discardable));
  const uint64_t regions = in_.Varint();
  if (in_.ok() && regions >> 1 != 1) in_.Fail("a module has one region");
  if (!in_.ok()) return in_.status();
  return BeginRegions(ir_.module_op(), name, 1, (regions & 1) != 0);
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
        0, absl::StrCat("'", producer.substr(0, 40),
                        "' wrote this bytecode; portable artifacts are "
                        "StableHLO's ('StableHLO_v1.16.0')"));
  }
  return ParseRelease(producer);
}

absl::StatusOr<Ir> ReadArtifact(absl::string_view bytes) {
  absl::StatusOr<Sections> sections = ReadSections(bytes);
  if (!sections.ok()) return sections.status();
  return Reader(*std::move(sections)).Read();
}

}  // namespace indim::mlir
