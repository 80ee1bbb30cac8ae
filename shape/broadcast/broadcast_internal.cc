#include "indim/shape/broadcast/broadcast_internal.h"

#include <algorithm>

#include "indim/shape/dims/dim_math.h"

namespace indim {
namespace broadcast_internal {
namespace {

using Kind = Condition::Kind;

bool IsKnown(Dim dim) { return dim.lower() == dim.upper(); }

bool IsFirm(Dim dim, bool stretches) { return !stretches || !dim.Contains(1); }

}  // namespace

void SizeMeet::Add(DimRef ref, Dim dim, bool stretches) {
  if (dim.upper() == 0) (dim.is_static() ? static_zero_ : bounded_zero_) = true;
  if (!IsFirm(dim, stretches)) {
    loose_lower_ = std::min(loose_lower_, dim.lower());
    loose_upper_ = std::max(loose_upper_, dim.upper());
    if (IsKnown(dim)) return;
    if (loose_count_ > 0 && dim.is_symbolic() && dim == first_loose_dim_) {
      return;
    }
    AddLooseSymbol(dim);
    if (loose_count_++ == 0) {
      first_loose_ = ref;
      first_loose_dim_ = dim;
    }
    return;
  }
  if (has_firm_ && (dim.is_symbolic() || anchor_dim_.is_symbolic())) {
    AddFirmSymbol(ref, dim);
  }
  if (!has_firm_ || dim.lower() > firm_lower_) {
    firm_lower_ = dim.lower();
    firm_lower_ref_ = ref;
  }
  if (!has_firm_ || dim.upper() < firm_upper_) {
    firm_upper_ = dim.upper();
    firm_upper_ref_ = ref;
  }
  const bool better =
      !anchor_size_ &&
      (IsKnown(dim) || (dim.is_symbolic() && !anchor_dim_.is_symbolic()));
  if (!has_firm_ || better) {
    anchor_ = ref;
    anchor_dim_ = dim;
  }
  if (!anchor_size_ && IsKnown(dim)) anchor_size_ = dim.lower();
  has_firm_ = true;
}

void SizeMeet::AddFirmSymbol(DimRef ref, Dim dim) {
  if (at_odds_ || DimsEqual(anchor_dim_, dim) != Answer::kRefuted) return;
  at_odds_ = true;
  odds_ = {anchor_, ref};
}

void SizeMeet::AddLooseSymbol(Dim dim) {
  if (!loose_maximum_) return;
  if (loose_count_ == 0 && dim.is_symbolic()) {
    loose_maximum_ = dim;
  } else if (dim.is_symbolic() && dim.lower() >= 1 &&
             loose_maximum_->lower() >= 1) {
    loose_maximum_ = MaxDims(*loose_maximum_, dim);
  } else {
    loose_maximum_ = std::nullopt;
  }
}

std::pair<DimRef, DimRef> SizeMeet::conflict() const {
  if (firm_lower_ <= firm_upper_ && at_odds_) return odds_;
  if (firm_upper_ref_.operand < firm_lower_ref_.operand) {
    return {firm_upper_ref_, firm_lower_ref_};
  }
  return {firm_lower_ref_, firm_upper_ref_};
}

Dim SizeMeet::result() const {
  const int64_t lower = has_firm_ ? firm_lower_ : loose_lower_;
  const int64_t upper = has_firm_ ? firm_upper_ : loose_upper_;
  // `<=0` holds only 0, but is another dim than `0`.
  if (upper == 0 && bounded_zero_ && !static_zero_) return Dim::Bounded(0);
  if (has_firm_ && lower != upper && anchor_dim_.is_symbolic()) {
    return anchor_dim_;
  }
  if (!has_firm_ && loose_count_ > 0 && loose_maximum_) return *loose_maximum_;
  return Dim::Hull(lower, upper);
}

void SizeMeet::AddCondition(DimRef ref, Dim dim, bool stretches,
                            DimRef result_ref,
                            std::vector<Condition>* conditions) const {
  if (IsFirm(dim, stretches)) {
    if (ref == anchor_ || (anchor_size_ && IsKnown(dim))) return;
    if (dim.is_symbolic() && dim == anchor_dim_) return;
    if (anchor_size_) {
      conditions->push_back({Kind::kEqual, ref, Dim::Static(*anchor_size_)});
    } else {
      conditions->push_back({Kind::kEqual, ref, anchor_});
    }
    return;
  }
  if (IsKnown(dim)) return;
  if (dim.is_symbolic() && !(ref == first_loose_) &&
      dim == (has_firm_ ? anchor_dim_ : first_loose_dim_)) {
    return;
  }
  if (anchor_size_) {
    conditions->push_back(
        {*anchor_size_ == 1 ? Kind::kEqual : Kind::kOneOrEqual, ref,
         Dim::Static(*anchor_size_)});
  } else if (has_firm_) {
    conditions->push_back({Kind::kOneOrEqual, ref, anchor_});
  } else if (loose_count_ == 2 && !(ref == first_loose_)) {
    conditions->push_back({Kind::kEitherOneOrEqual, first_loose_, ref});
  } else if (loose_count_ > 2) {
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

}  // namespace broadcast_internal
}  // namespace indim
