// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/quantity_text.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

constexpr absl::string_view kUnits[] = {"", "k", "M", "G", "T", "P", "E"};

std::string Scaled(double number, absl::string_view unit) {
  if (std::abs(number) < 1000) {
    const bool is_whole = std::floor(number) == number;
    const std::string text = is_whole ? absl::StrFormat("%.0f", number)
                                      : absl::StrFormat("%.3g", number);
    return unit.empty() ? text : absl::StrCat(text, " ", unit);
  }
  size_t i = 0;
  // What rounds to 1000 has the next unit.
  while (std::abs(number) >= 999.5 && i + 1 < std::size(kUnits)) {
    number /= 1000;
    ++i;
  }
  return absl::StrCat(absl::StrFormat("%.*f",
                                      number < 9.995   ? 2
                                      : number < 99.95 ? 1
                                                       : 0,
                                      number),
                      " ", kUnits[i], unit);
}

}  // namespace

std::string ShortCount(const Amount& amount) {
  return amount.is_number() && !std::isnan(amount.number())
             ? Scaled(amount.number(), "")
             : amount.ToString();
}

std::string ShortBytes(const Amount& amount) {
  return amount.is_number() && !std::isnan(amount.number())
             ? Scaled(amount.number(), "B")
             : amount.ToString();
}

std::string AmountJson(const Amount& amount) {
  const std::string text = amount.ToString();
  return amount.is_number() && !std::isnan(amount.number()) ? text
                                                            : JsonString(text);
}

std::optional<double> ParseQuantity(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  double factor = 1;
  bool is_binary = false;
  const bool has_bytes = absl::ConsumeSuffix(&text, "B");
  if (has_bytes) is_binary = absl::ConsumeSuffix(&text, "i");
  for (size_t i = 1; i < std::size(kUnits); ++i) {
    if (absl::ConsumeSuffix(&text, kUnits[i]) ||
        (i == 1 && absl::ConsumeSuffix(&text, "K"))) {
      factor = std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(i));
      is_binary = false;
      break;
    }
  }
  double number;
  if (is_binary ||
      !absl::SimpleAtod(absl::StripAsciiWhitespace(text), &number) ||
      !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  return number * factor;
}

}  // namespace indim
