// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/query.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/tools/query/answer_case.h"
#include "indim/tools/query/case_reader.h"
#include "indim/tools/query/reply_json.h"

namespace indim {

std::string AnswerLine(absl::string_view line) {
  Case c;
  Reply reply;
  google::protobuf::Struct object;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(std::string(line), &object);
  if (!parsed.ok()) {
    const std::string why(parsed.message());
    reply.error =
        absl::StrCat("no JSON object: ", absl::StripPrefix(why, ": "));
    return ReplyJson(c, reply);
  }
  const absl::Status read = ReadCase(object, &c);
  if (!read.ok()) {
    reply.error = std::string(read.message());
    return ReplyJson(c, reply);
  }
  return ReplyJson(c, AnswerCase(c));
}

}  // namespace indim
