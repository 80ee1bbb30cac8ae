// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/attributes.h"

#include <utility>

namespace indim {

Attributes::Attributes() = default;
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

template <typename T, typename>
Attributes::Attributes(T held) noexcept
    : AttributesVariant(std::in_place_type<T>, std::move(held)) {}

template Attributes::Attributes(NoAttributes) noexcept;
#define INDIM_ATTRIBUTES(name) \
  template Attributes::Attributes(name##Attributes) noexcept;
#include "indim/shape/ops/attribute_members.def"

}  // namespace indim
