// SPDX-License-Identifier: Apache-2.0
// Walks over the text of one of Shardy's attributes; blanks before a token
// don't count. Internal to sharding/.

#ifndef INDIM_SHARDING_SHARDY_SHARDY_SCANNER_H_
#define INDIM_SHARDING_SHARDY_SHARDY_SCANNER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace indim {

class ShardyScanner {
 public:
  explicit ShardyScanner(absl::string_view text) : rest_(text) {}

  bool At(absl::string_view token);
  bool Take(absl::string_view token);
  // A run of letters, digits and _; empty: there is none.
  absl::string_view TakeWord();
  bool done();

  // All below return false after an error, which error() keeps.
  bool Expect(absl::string_view token);
  bool ExpectEnd();
  bool ReadNumber(int64_t* number);
  // "name" in quotes.
  bool ReadQuoted(std::string* name);
  // What follows the @ of a symbol: a word with . and $ in it, or text in
  // quotes.
  bool ReadSymbol(std::string* name);
  // `open`, what `item` reads with "," between, `close`.
  template <typename Item>
  bool ReadList(absl::string_view open, absl::string_view close, Item item) {
    if (!Expect(open)) return false;
    if (Take(close)) return true;
    do {
      if (!item()) return false;
    } while (Take(","));
    return Expect(close);
  }

  // Keeps the error, unless there is one; returns false.
  bool Fail(std::string message);
  bool Expected(absl::string_view what);
  absl::Status error() const { return absl::InvalidArgumentError(error_); }

 private:
  void SkipBlanks();

  absl::string_view rest_;
  std::string error_;
};

}  // namespace indim

#endif  // INDIM_SHARDING_SHARDY_SHARDY_SCANNER_H_
