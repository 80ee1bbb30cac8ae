#include "indim/builder/arguments.h"

namespace indim {

ShapeArg::ShapeArg(const char* text)
    : shape_(ParseShape(text == nullptr ? "" : text)) {}
ShapeArg::ShapeArg(const std::string& text) : shape_(ParseShape(text)) {}
ShapeArg::ShapeArg(absl::string_view text) : shape_(ParseShape(text)) {}
ShapeArg::ShapeArg(Shape shape) : shape_(std::move(shape)) {}

BroadcastArg::BroadcastArg(std::initializer_list<int64_t> dimensions) {
  spec_.dimensions.emplace(dimensions.begin(), dimensions.end());
}
BroadcastArg::BroadcastArg(absl::Span<const int64_t> dimensions) {
  spec_.dimensions.emplace(dimensions.begin(), dimensions.end());
}
BroadcastArg::BroadcastArg(const std::vector<int64_t>& dimensions)
    : BroadcastArg(absl::MakeConstSpan(dimensions)) {}
BroadcastArg::BroadcastArg(const DimIndices& dimensions)
    : BroadcastArg(absl::MakeConstSpan(dimensions)) {}
BroadcastArg::BroadcastArg(BroadcastRule rule) { spec_.rule = rule; }

}  // namespace indim
