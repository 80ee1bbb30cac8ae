#include "indim/ir/instruction_pattern.h"

#include <algorithm>
#include <charconv>

#include "indim/ir/wire.h"

namespace indim {
namespace {

// Longer ones are not worth their memory.
constexpr size_t kMostBytes = 1024;
// The first number that takes more than four bytes.
constexpr int64_t kIdLimit = int64_t{1} << 28;

}  // namespace

InstructionPattern::Place InstructionPattern::PlaceOf(int64_t number,
                                                      size_t at) const {
  Place place;
  const size_t size = VarintSize(static_cast<uint64_t>(number));
  place.first = size == 1 ? 0 : uint64_t{1} << (7 * (size - 1));
  place.count = (uint64_t{1} << (7 * size)) - place.first;
  place.at = at;
  for (size_t k = 0; k < 4; ++k) {
    uint8_t byte = static_cast<uint8_t>(bytes_[at + k]);
    if (k < size) byte &= 0x80;
    place.around |= uint32_t{byte} << (8 * k);
  }
  return place;
}

void InstructionPattern::Set(absl::string_view bytes, const Places& places,
                             int64_t id, absl::Span<const int64_t> ids,
                             size_t operand_count) {
  Clear();
  const size_t digits = places.after_digits - places.digits;
  if (ids.size() > kMostIds || bytes.size() > kMostBytes || digits < 2 ||
      id <= 0 || id >= kIdLimit) {
    return;
  }
  for (const int64_t other : ids) {
    if (other < 0 || other >= kIdLimit) return;
  }
  bytes_.assign(bytes.data(), bytes.size());
  bytes_.append(kSlack, '\0');
  size_ = bytes.size();
  id_ = PlaceOf(id, places.id);
  // As many digits, too.
  uint64_t first = 1;
  while (static_cast<uint64_t>(id) / first >= 10) first *= 10;
  const uint64_t end = std::min(id_.first + id_.count, 10 * first);
  id_.first = std::max(id_.first, first);
  id_.count = end - id_.first;
  size_t at = places.operands;
  for (size_t k = 0; k < ids.size(); ++k) {
    if (k == operand_count) at = places.callees;
    places_[k] = PlaceOf(ids[k], at);
    at += VarintSize(static_cast<uint64_t>(ids[k]));
  }
  digits_ = places.digits;
  last_digits_ = places.after_digits - 2;
  hundreds_ = static_cast<uint64_t>(id) / 100 * 100;
  counts_ = Counts(operand_count, ids.size() - operand_count);
}

// `number` has as many digits as those that are there.
void InstructionPattern::SetHundreds(uint64_t number) {
  hundreds_ = number / 100 * 100;
  std::to_chars(&bytes_[digits_], &bytes_[last_digits_], number / 100);
}

}  // namespace indim
