// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/fuzz/mutate.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/fuzz/proto_text.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Numbers where arithmetic and limits go wrong.
int64_t OddNumber(Random* random) {
  static constexpr int64_t kNumbers[] = {
      0,
      1,
      -1,
      2,
      3,
      7,
      63,
      64,
      100,
      127,
      128,
      65536,
      std::numeric_limits<int32_t>::max(),
      std::numeric_limits<int32_t>::min(),
      int64_t{1} << 32,
      int64_t{1} << 40,
      (int64_t{1} << 62) - 1,
      int64_t{1} << 62,
      std::numeric_limits<int64_t>::max(),
      std::numeric_limits<int64_t>::max() - 1,
      std::numeric_limits<int64_t>::min(),
      -2,
  };
  const int64_t number = kNumbers[Below(std::size(kNumbers), random)];
  return OneIn(4, random) ? static_cast<int64_t>(static_cast<uint64_t>(number) +
                                                 Below(5, random) - 2)
                          : number;
}

std::string OpcodeName(Random* random) {
  const auto ops = AllOps();
  return std::string(ops[Below(ops.size(), random)].wire);
}

// --- Bytes ------------------------------------------------------------------

void MutateBytesOnce(Random* random, std::string* bytes) {
  const size_t size = bytes->size();
  const size_t at = Below(size + 1, random);
  const size_t length = Below(std::min<size_t>(size - at, 40) + 1, random);
  switch (Below(8, random)) {
    case 0:
      if (at < size) {
        (*bytes)[at] =
            static_cast<char>((*bytes)[at] ^ (1 << Below(8, random)));
      }
      return;
    case 1:
      if (at < size) (*bytes)[at] = static_cast<char>(Below(256, random));
      return;
    case 2:
      bytes->erase(at, length);
      return;
    case 3:
      bytes->insert(at, bytes->substr(Below(size + 1, random), length));
      return;
    case 4:
      bytes->insert(at, 1, static_cast<char>(Below(256, random)));
      return;
    case 5:
      AppendWideVarint(static_cast<uint64_t>(OddNumber(random)), 1, bytes);
      return;
    case 6:
      if (at < size) {
        (*bytes)[at] = static_cast<char>((*bytes)[at] + Below(5, random) - 2);
      }
      return;
    default:
      if (OneIn(4, random)) bytes->resize(at);
      return;
  }
}

// --- Text -------------------------------------------------------------------

bool IsWordChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

// Words, runs of blanks and single signs, in order.
std::vector<std::string> Tokens(absl::string_view text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const char c = text[i];
    if (IsWordChar(c)) {
      while (end < text.size() && IsWordChar(text[end])) ++end;
    } else if (absl::ascii_isspace(c)) {
      while (end < text.size() && absl::ascii_isspace(text[end])) ++end;
    }
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::string OtherWord(const std::vector<std::string>& tokens, Random* random) {
  static constexpr const char* kWords[] = {"{",
                                           "}",
                                           "(",
                                           ")",
                                           "[",
                                           "]",
                                           ",",
                                           "=",
                                           "\"",
                                           "%",
                                           "<=",
                                           "?",
                                           "..",
                                           "/*",
                                           "*/",
                                           "//",
                                           "ENTRY",
                                           "ROOT",
                                           "f32",
                                           "s4",
                                           "pred",
                                           "token",
                                           "c128",
                                           "f8e8m0fnu",
                                           "nan",
                                           "inf",
                                           "-0",
                                           "1e400",
                                           "{...}",
                                           "\n",
                                           "replica_groups",
                                           "sharding",
                                           "layout",
                                           "T(8,128)",
                                           "to_apply",
                                           "\xff"};
  switch (Below(4, random)) {
    case 0:
      return kWords[Below(std::size(kWords), random)];
    case 1:
      return OpcodeName(random);
    case 2:
      return absl::StrCat(OddNumber(random));
    default:
      return tokens.empty() ? "" : tokens[Below(tokens.size(), random)];
  }
}

// [first, last) of a line, or of a few tokens.
std::pair<size_t, size_t> Piece(const std::vector<std::string>& tokens,
                                Random* random) {
  const size_t at = Below(tokens.size(), random);
  if (OneIn(2, random)) {
    return {at, std::min(tokens.size(), at + 1 + Below(6, random))};
  }
  const auto is_end = [](const std::string& t) {
    return t.find('\n') != std::string::npos;
  };
  const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = std::find_if(begin, tokens.end(), is_end);
  size_t first = at;
  while (first > 0 && !is_end(tokens[first - 1])) --first;
  return {first, static_cast<size_t>(end - tokens.begin()) +
                     (end == tokens.end() ? 0 : 1)};
}

void MutateTokensOnce(Random* random, std::vector<std::string>* tokens) {
  if (tokens->empty() || OneIn(6, random)) {
    tokens->insert(tokens->begin() + static_cast<std::ptrdiff_t>(
                                         Below(tokens->size() + 1, random)),
                   OtherWord(*tokens, random));
    return;
  }
  const size_t at = Below(tokens->size(), random);
  const auto [first, last] = Piece(*tokens, random);
  const auto begin = tokens->begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = tokens->begin() + static_cast<std::ptrdiff_t>(last);
  switch (Below(5, random)) {
    case 0:
      tokens->erase(begin, end);
      return;
    case 1: {
      const std::vector<std::string> copy(begin, end);
      tokens->insert(tokens->begin() + static_cast<std::ptrdiff_t>(at),
                     copy.begin(), copy.end());
      return;
    }
    case 2:
      std::swap((*tokens)[at], (*tokens)[Below(tokens->size(), random)]);
      return;
    case 3:
      (*tokens)[at] = OtherWord(*tokens, random);
      return;
    default:
      MutateBytesOnce(random, &(*tokens)[at]);
      return;
  }
}

// --- Messages ---------------------------------------------------------------

// Every message inside `root`, itself included.
std::vector<Message*> MessagesIn(Message* root) {
  std::vector<Message*> all = {root};
  for (size_t i = 0; i < all.size(); ++i) {
    Message* const m = all[i];
    const Reflection* r = m->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    r->ListFields(*m, &fields);
    for (const FieldDescriptor* f : fields) {
      if (f->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || f->is_map()) {
        continue;
      }
      if (!f->is_repeated()) {
        all.push_back(r->MutableMessage(m, f));
        continue;
      }
      for (int k = 0; k < r->FieldSize(*m, f); ++k) {
        all.push_back(r->MutableRepeatedMessage(m, f, k));
      }
    }
  }
  return all;
}

// Some set field; null if none is.
const FieldDescriptor* SetField(const Message& m, Random* random) {
  std::vector<const FieldDescriptor*> fields;
  m.GetReflection()->ListFields(m, &fields);
  return fields.empty() ? nullptr : fields[Below(fields.size(), random)];
}

// An id, number or size that the message `root` holds somewhere.
int64_t SomeId(const proto::HloModuleProto& module, Random* random) {
  if (module.computations_size() == 0) return OddNumber(random);
  const auto& computation = module.computations(static_cast<int>(
      Below(static_cast<uint64_t>(module.computations_size()), random)));
  if (OneIn(3, random) || computation.instructions_size() == 0) {
    return computation.id();
  }
  return computation
      .instructions(static_cast<int>(Below(
          static_cast<uint64_t>(computation.instructions_size()), random)))
      .id();
}

int64_t OtherNumber(const proto::HloModuleProto& module, Random* random) {
  switch (Below(3, random)) {
    case 0:
      return SomeId(module, random);
    case 1:
      return static_cast<int64_t>(Below(6, random));
    default:
      return OddNumber(random);
  }
}

// One value of `field`: the `k`th, if it is a list.
void MutateValue(const proto::HloModuleProto& module, Message* m,
                 const FieldDescriptor* field, Random* random) {
  const Reflection* r = m->GetReflection();
  const bool list = field->is_repeated();
  const int k =
      list ? static_cast<int>(
                 Below(static_cast<uint64_t>(r->FieldSize(*m, field)), random))
           : 0;
  const int64_t n = OtherNumber(module, random);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      if (list) return r->SetRepeatedInt64(m, field, k, n);
      return r->SetInt64(m, field, n);
    case FieldDescriptor::CPPTYPE_INT32:
      if (list) return r->SetRepeatedInt32(m, field, k, static_cast<int>(n));
      return r->SetInt32(m, field, static_cast<int>(n));
    case FieldDescriptor::CPPTYPE_ENUM:
      if (list) {
        return r->SetRepeatedEnumValue(m, field, k, static_cast<int>(n));
      }
      return r->SetEnumValue(m, field, static_cast<int>(Below(40, random)));
    case FieldDescriptor::CPPTYPE_BOOL:
      if (list) return r->SetRepeatedBool(m, field, k, n % 2 != 0);
      return r->SetBool(m, field, !r->GetBool(*m, field));
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string s =
          list ? r->GetRepeatedString(*m, field, k) : r->GetString(*m, field);
      if (field->name() == "opcode" && !OneIn(8, random)) {
        s = OpcodeName(random);
      } else if (field->type() == FieldDescriptor::TYPE_BYTES) {
        MutateBytesOnce(random, &s);
      } else if (OneIn(2, random)) {
        s.resize(Below(s.size() + 1, random));
      } else {
        s += s;
      }
      if (list) return r->SetRepeatedString(m, field, k, s);
      return r->SetString(m, field, s);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (!field->is_map()) {
        FillAtRandom(1, random,
                     list ? r->MutableRepeatedMessage(m, field, k)
                          : r->MutableMessage(m, field));
      }
      return;
    default:
      r->ClearField(m, field);
      return;
  }
}

void MutateListOf(Message* m, const FieldDescriptor* field, Random* random) {
  const Reflection* r = m->GetReflection();
  const int size = r->FieldSize(*m, field);
  const int k = static_cast<int>(Below(static_cast<uint64_t>(size), random));
  switch (Below(4, random)) {
    case 0:
      r->SwapElements(m, field, k, size - 1);
      r->RemoveLast(m, field);
      return;
    case 1:
      r->SwapElements(
          m, field, k,
          static_cast<int>(Below(static_cast<uint64_t>(size), random)));
      return;
    case 2:
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Message* copy = r->AddMessage(m, field);
        copy->CopyFrom(r->GetRepeatedMessage(*m, field, k));
        return;
      }
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
        return r->AddInt64(m, field, r->GetRepeatedInt64(*m, field, k));
      }
      return;
    default:
      r->ClearField(m, field);
      return;
  }
}

void MutateMessageOnce(proto::HloModuleProto* module, Random* random) {
  const std::vector<Message*> all = MessagesIn(module);
  Message* const m = all[Below(all.size(), random)];
  const FieldDescriptor* const field = SetField(*m, random);
  const uint64_t what = Below(10, random);
  if (field == nullptr || what == 0) {
    FillAtRandom(static_cast<int>(Below(2, random)), random, m);
  } else if (what == 1) {
    m->GetReflection()->ClearField(m, field);
  } else if (what == 2) {
    // What stands in another place of the same kind.
    for (int tries = 0; tries < 30; ++tries) {
      const Message* other = all[Below(all.size(), random)];
      if (other == m || other->GetDescriptor() != m->GetDescriptor()) continue;
      if (other->ByteSizeLong() > 100000) continue;
      const std::string bytes = other->SerializePartialAsString();
      m->ParsePartialFromString(bytes);
      return;
    }
  } else if (field->is_repeated() && !field->is_map() && what < 6) {
    MutateListOf(m, field, random);
  } else {
    MutateValue(*module, m, field, random);
  }
}

}  // namespace

std::string MutateBytes(absl::string_view input, std::mt19937_64* random) {
  std::string bytes(input);
  for (uint64_t n = 1 + Below(3, random); n > 0; --n) {
    MutateBytesOnce(random, &bytes);
  }
  return bytes;
}

std::string MutateText(absl::string_view input, std::mt19937_64* random) {
  std::vector<std::string> tokens = Tokens(input);
  for (uint64_t n = 1 + Below(3, random); n > 0; --n) {
    MutateTokensOnce(random, &tokens);
  }
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::string MutateModuleBytes(absl::string_view input,
                              std::mt19937_64* random) {
  proto::HloModuleProto module;
  if (OneIn(8, random) || !module.ParseFromString(std::string(input))) {
    return MutateBytes(input, random);
  }
  for (uint64_t n = 1 + Below(3, random); n > 0; --n) {
    MutateMessageOnce(&module, random);
  }
  std::string bytes = DeterministicBytes(module);
  if (OneIn(6, random)) {
    bytes = Scramble(GetWireMessageInfo(WireMessage::kHloModuleProto), bytes,
                     random);
  }
  return bytes;
}

std::string MutateModuleProtoText(absl::string_view input,
                                  std::mt19937_64* random) {
  proto::HloModuleProto module;
  if (OneIn(3, random) || !ParseProtoText(input, &module)) {
    return MutateText(input, random);
  }
  MutateMessageOnce(&module, random);
  std::string text;
  google::protobuf::TextFormat::PrintToString(module, &text);
  return text;
}

}  // namespace indim
