// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/region.h"

#include <utility>

#include "indim/builder/open_computations.h"
#include "indim/builder/recorder.h"
#include "indim/builder/regions.h"

namespace indim {

Region::Region() = default;
Region::Region(Region&& other) noexcept { *this = std::move(other); }

Region& Region::operator=(Region&& other) noexcept {
  if (this == &other) return *this;
  Drop();
  control_ = std::exchange(other.control_, nullptr);
  generation_ = other.generation_;
  arguments_ = std::move(other.arguments_);
  frame_ = std::move(other.frame_);
  outer_control_ = other.outer_control_;
  outer_generation_ = other.outer_generation_;
  return *this;
}

Region::~Region() { Drop(); }

void Region::Drop() {
  internal::Regions(internal::Recorder::Of(control_, generation_)).Drop(this);
  control_ = nullptr;
}

}  // namespace indim
