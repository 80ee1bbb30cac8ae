// SPDX-License-Identifier: Apache-2.0
// Reading the fields of a JSON object, with one error for all of them: ask for
// every field, then look at status() once.

#ifndef INDIM_TOOLS_QUERY_CASE_FIELDS_H_
#define INDIM_TOOLS_QUERY_CASE_FIELDS_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// An absent field leaves the value as it was. A malformed one sets the status,
// if no earlier one has, and leaves the value as it was too.
class CaseFields {
 public:
  // `object` must outlive this.
  explicit CaseFields(const google::protobuf::Struct& object)
      : object_(object) {}

  const absl::Status& status() const { return status_; }
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  // The value itself; null: absent.
  const google::protobuf::Value* Find(absl::string_view name) const;

  // The names that somebody has asked for so far, in alphabetic order. They
  // live as long as this.
  std::vector<absl::string_view> Asked() const;
  // The fields that nobody has asked for, each with the nearest name that
  // somebody has; empty: none is near.
  std::vector<std::pair<std::string, std::string>> Unknown() const;

  void Read(absl::string_view name, int64_t* value);
  void Read(absl::string_view name, float* value);
  void Read(absl::string_view name, bool* value);
  void Read(absl::string_view name, std::string* value);
  void Read(absl::string_view name, DimIndices* value);
  void Read(absl::string_view name, std::vector<bool>* value);
  void Read(absl::string_view name, ElementType* value);
  void Read(absl::string_view name, Shape* value);
  void Read(absl::string_view name, std::vector<Shape>* value);
  template <typename T>
  void Read(absl::string_view name, std::optional<T>* value) {
    if (!Has(name)) return;
    T read{};
    Read(name, &read);
    *value = std::move(read);
  }

  // Numbers, and "?", which is given as `unknown`.
  void ReadSizes(absl::string_view name, int64_t unknown,
                 std::vector<int64_t>* value);

  // {"parameters":[shape, ...],"result":shape}, appended to *callees.
  void ReadSignature(absl::string_view name, std::vector<Signature>* callees);
  // A list of them.
  void ReadSignatures(absl::string_view name, std::vector<Signature>* callees);

  // A text that `parse`, absl::StatusOr<T>(absl::string_view), understands.
  template <typename Parse, typename T>
  void ReadWith(absl::string_view name, Parse parse, T* value) {
    std::string text;
    if (!Has(name)) return;
    Read(name, &text);
    if (!status_.ok()) return;
    auto parsed = parse(text);
    if (parsed.ok()) {
      *value = *std::move(parsed);
    } else {
      Fail(name, parsed.status().message());
    }
  }

  // The number of one of `words`, as it is spelled there.
  void ReadWord(absl::string_view name, const AttributeWords& words,
                int64_t* number);

  // Sets the status: "NAME: WHAT".
  void Fail(absl::string_view name, absl::string_view what);

 private:
  // The value, which fails unless it is of that kind; null: absent, or wrong.
  const google::protobuf::Value* Expect(absl::string_view name,
                                        google::protobuf::Value::KindCase kind,
                                        absl::string_view what);
  // A list each of whose items `read` takes: an optional.
  template <typename List, typename ReadItem>
  void ReadList(absl::string_view name, absl::string_view what, List* value,
                ReadItem read);
  bool ReadSignatureValue(absl::string_view name,
                          const google::protobuf::Value& value,
                          std::vector<Signature>* callees);

  const google::protobuf::Struct& object_;
  mutable std::set<std::string, std::less<>> asked_;
  absl::Status status_;
};

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_CASE_FIELDS_H_
