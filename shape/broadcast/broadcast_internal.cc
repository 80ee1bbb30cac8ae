// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/broadcast_internal.h"

#include <algorithm>

#include "indim/shape/dims/dim_math.h"

namespace indim::broadcast_internal {
namespace {

using Kind = Condition::Kind;

bool IsKnown(Dim dim) { return dim.lower() == dim.upper(); }

bool IsFirm(Dim dim, bool stretches) { return !stretches || !dim.Contains(1); }

}  // namespace

void SizeMeet::Add(DimRef ref, Dim dim, bool stretches) {
  if (dim.upper() == 0) (dim.is_static() ? static_zero_ : bounded_zero_) = true;
  if (!IsFirm(dim, stretches)) {
    loose_.lower = std::min(loose_.lower, dim.lower());
    loose_.upper = std::max(loose_.upper, dim.upper());
    if (IsKnown(dim)) return;
    if (loose_.count > 0 && dim.is_symbolic() && dim == loose_.first_dim) {
      return;
    }
    AddLooseSymbol(dim);
    if (loose_.count++ == 0) {
      loose_.first = ref;
      loose_.first_dim = dim;
    }
    return;
  }
  if (firm_.any && (dim.is_symbolic() || firm_.anchor_dim.is_symbolic())) {
    AddFirmSymbol(ref, dim);
  }
  if (!firm_.any || dim.lower() > firm_.lower) {
    firm_.lower = dim.lower();
    firm_.lower_ref = ref;
  }
  if (!firm_.any || dim.upper() < firm_.upper) {
    firm_.upper = dim.upper();
    firm_.upper_ref = ref;
  }
  const bool better =
      !firm_.anchor_size &&
      (IsKnown(dim) || (dim.is_symbolic() && !firm_.anchor_dim.is_symbolic()));
  if (!firm_.any || better) {
    firm_.anchor = ref;
    firm_.anchor_dim = dim;
  }
  if (!firm_.anchor_size && IsKnown(dim)) firm_.anchor_size = dim.lower();
  firm_.any = true;
}

void SizeMeet::AddFirmSymbol(DimRef ref, Dim dim) {
  if (firm_.at_odds || DimsEqual(firm_.anchor_dim, dim) != Answer::kRefuted)
    return;
  firm_.at_odds = true;
  firm_.odds = {firm_.anchor, ref};
}

void SizeMeet::AddLooseSymbol(Dim dim) {
  if (!loose_.maximum) return;
  if (loose_.count == 0 && dim.is_symbolic()) {
    loose_.maximum = dim;
  } else if (dim.is_symbolic() && dim.lower() >= 1 &&
             loose_.maximum->lower() >= 1) {
    loose_.maximum = MaxDims(*loose_.maximum, dim);
  } else {
    loose_.maximum = std::nullopt;
  }
}

std::pair<DimRef, DimRef> SizeMeet::conflict() const {
  if (firm_.lower <= firm_.upper && firm_.at_odds) return firm_.odds;
  if (firm_.upper_ref.operand < firm_.lower_ref.operand) {
    return {firm_.upper_ref, firm_.lower_ref};
  }
  return {firm_.lower_ref, firm_.upper_ref};
}

Dim SizeMeet::result() const {
  const int64_t lower = firm_.any ? firm_.lower : loose_.lower;
  const int64_t upper = firm_.any ? firm_.upper : loose_.upper;
  // `<=0` holds only 0, but is another dim than `0`.
  if (upper == 0 && bounded_zero_ && !static_zero_) return Dim::Bounded(0);
  if (firm_.any && lower != upper && firm_.anchor_dim.is_symbolic()) {
    return firm_.anchor_dim;
  }
  if (!firm_.any && loose_.count > 0 && loose_.maximum) return *loose_.maximum;
  return Dim::Hull(lower, upper);
}

void SizeMeet::AddCondition(DimRef ref, Dim dim, bool stretches,
                            DimRef result_ref,
                            std::vector<Condition>* conditions) const {
  if (IsFirm(dim, stretches)) {
    if (ref == firm_.anchor || (firm_.anchor_size && IsKnown(dim))) return;
    if (dim.is_symbolic() && dim == firm_.anchor_dim) return;
    if (firm_.anchor_size) {
      conditions->push_back(
          {Kind::kEqual, ref, Dim::Static(*firm_.anchor_size)});
    } else {
      conditions->push_back({Kind::kEqual, ref, firm_.anchor});
    }
    return;
  }
  if (IsKnown(dim)) return;
  if (dim.is_symbolic() && !(ref == loose_.first) &&
      dim == (firm_.any ? firm_.anchor_dim : loose_.first_dim)) {
    return;
  }
  if (firm_.anchor_size) {
    conditions->push_back(
        {*firm_.anchor_size == 1 ? Kind::kEqual : Kind::kOneOrEqual, ref,
         Dim::Static(*firm_.anchor_size)});
  } else if (firm_.any) {
    conditions->push_back({Kind::kOneOrEqual, ref, firm_.anchor});
  } else if (loose_.count == 2 && !(ref == loose_.first)) {
    conditions->push_back({Kind::kEitherOneOrEqual, loose_.first, ref});
  } else if (loose_.count > 2) {
    // Conditions between all pairs would grow with the square of their number.
    conditions->push_back({Kind::kOneOrEqual, ref, result_ref});
  }
}

Diagnostic DimDiagnostic(Code code, DimRef a, DimRef b) {
  Diagnostic d;
  d.code = code;
  d.operand = a.operand;
  d.dim = a.dim;
  d.other_operand = b.operand;
  d.other_dim = b.dim;
  return d;
}

}  // namespace indim::broadcast_internal
