// SPDX-License-Identifier: Apache-2.0
#include "indim/run/isolated_message.h"

#include <cstdint>
#include <utility>

#include "absl/base/casts.h"
#include "absl/strings/cord.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/run/saved.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

using wire_fields::AllRecords;
using wire_fields::AppendBytes;
using wire_fields::AppendNumber;
using wire_fields::Bytes;
using wire_fields::Record;
using wire_fields::Unpack;
using wire_fields::Varint;

// Every field is bytes or a number; numbers are what they are for the plugin.
enum RequestField : uint32_t {
  kPlugin = 1,
  kClientOption = 2,
  kFormat = 3,
  kProgram = 4,  // a saved executable (saved.h) whose bytes are the code
  kTupled = 5,
  kCompileOptions = 6,
};
enum OptionField : uint32_t {
  kName = 1,
  kText = 2,
  kInteger = 3,
  kIntegers = 4,
  kReal = 5,
  kBoolean = 6,
};
enum AnswerField : uint32_t {
  kCode = 1,
  kMessage = 2,
  kExecutable = 3,
  kErrors = 4  // its payload
};

struct AppendValue {
  std::string* out;
  void operator()(const std::string& text) const {
    AppendBytes(kText, text, out);
  }
  void operator()(int64_t number) const {
    AppendNumber(kInteger, static_cast<uint64_t>(number), out);
  }
  void operator()(const std::vector<int64_t>& numbers) const {
    std::string packed;
    for (const int64_t number : numbers) {
      AppendVarint(static_cast<uint64_t>(number), &packed);
    }
    AppendBytes(kIntegers, packed, out);
  }
  void operator()(float number) const {
    AppendNumber(kReal, absl::bit_cast<uint32_t>(number), out);
  }
  void operator()(bool boolean) const {
    AppendNumber(kBoolean, boolean ? 1 : 0, out);
  }
};

bool ReadOption(absl::string_view bytes, NamedValue* option) {
  return AllRecords(bytes, [option](const Record& field) {
    switch (field.tag) {
      case Bytes(kName):
        option->name = std::string(field.value);
        return true;
      case Bytes(kText):
        option->value = std::string(field.value);
        return true;
      case Varint(kInteger):
        option->value = static_cast<int64_t>(field.number);
        return true;
      case Bytes(kIntegers):
        return Unpack(field.value,
                      &option->value.emplace<std::vector<int64_t>>());
      case Varint(kReal):
        option->value =
            absl::bit_cast<float>(static_cast<uint32_t>(field.number));
        return true;
      case Varint(kBoolean):
        option->value = field.number != 0;
        return true;
      default:
        return false;
    }
  });
}

bool ReadProgram(absl::string_view bytes, IsolatedRequest* request) {
  Saved saved;
  if (!ReadSaved(bytes, &saved)) return false;
  request->program.interface = std::move(saved.interface);
  request->program.code = std::string(saved.bytes);
  request->partitions = saved.partitions;
  return true;
}

}  // namespace

std::string WriteRequest(const IsolatedRequest& request) {
  std::string out;
  AppendBytes(kPlugin, request.plugin, &out);
  for (const NamedValue& option : request.client_options) {
    std::string bytes;
    AppendBytes(kName, option.name, &bytes);
    std::visit(AppendValue{&bytes}, option.value);
    AppendBytes(kClientOption, bytes, &out);
  }
  AppendBytes(kFormat, request.program.format, &out);
  Saved saved;
  saved.interface = request.program.interface;
  saved.partitions = request.partitions;
  saved.bytes = request.program.code;
  AppendBytes(kProgram, WriteSaved(saved), &out);
  AppendNumber(kTupled, request.program.tupled ? 1 : 0, &out);
  AppendBytes(kCompileOptions, request.compile_options, &out);
  return out;
}

bool ReadRequest(absl::string_view bytes, IsolatedRequest* request) {
  return AllRecords(bytes, [request](const Record& field) {
    switch (field.tag) {
      case Bytes(kPlugin):
        request->plugin = std::string(field.value);
        return true;
      case Bytes(kClientOption):
        return ReadOption(field.value, &request->client_options.emplace_back());
      case Bytes(kFormat):
        request->program.format = std::string(field.value);
        return true;
      case Bytes(kProgram):
        return ReadProgram(field.value, request);
      case Varint(kTupled):
        request->program.tupled = field.number != 0;
        return true;
      case Bytes(kCompileOptions):
        request->compile_options = std::string(field.value);
        return true;
      default:
        return false;
    }
  });
}

std::string WriteAnswer(const IsolatedAnswer& answer) {
  std::string out;
  AppendNumber(kCode, static_cast<uint64_t>(answer.status.raw_code()), &out);
  AppendBytes(kMessage, answer.status.message(), &out);
  if (const auto errors = answer.status.GetPayload(kErrorsPayload)) {
    AppendBytes(kErrors, std::string(*errors), &out);
  }
  AppendBytes(kExecutable, answer.executable, &out);
  return out;
}

bool ReadAnswer(absl::string_view bytes, IsolatedAnswer* answer) {
  uint64_t code = 0;
  absl::string_view message, errors;
  bool is_whole = false;
  const bool read = AllRecords(bytes, [&](const Record& field) {
    if (field.tag == Varint(kCode)) code = field.number;
    if (field.tag == Bytes(kMessage)) message = field.value;
    if (field.tag == Bytes(kErrors)) errors = field.value;
    if (field.tag == Bytes(kExecutable)) {
      answer->executable = std::string(field.value);
      is_whole = true;
    }
    return true;
  });
  if (!read || !is_whole || code > 16) return false;
  answer->status = absl::Status(static_cast<absl::StatusCode>(code), message);
  if (!answer->status.ok() && !errors.empty()) {
    answer->status.SetPayload(kErrorsPayload, absl::Cord(errors));
  }
  return true;
}

}  // namespace indim::pjrt
