#include "indim/shape/ops/attributes.h"

#include <utility>
#include <variant>

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
template Attributes::Attributes(ElementwiseAttributes) noexcept;
template Attributes::Attributes(CompareAttributes) noexcept;
template Attributes::Attributes(DimensionsAttributes) noexcept;
template Attributes::Attributes(SortAttributes) noexcept;
template Attributes::Attributes(SliceAttributes) noexcept;
template Attributes::Attributes(DynamicSliceAttributes) noexcept;
template Attributes::Attributes(PadAttributes) noexcept;
template Attributes::Attributes(DotAttributes) noexcept;
template Attributes::Attributes(WindowAttributes) noexcept;
template Attributes::Attributes(ConvolutionAttributes) noexcept;
template Attributes::Attributes(GatherAttributes) noexcept;
template Attributes::Attributes(ScatterAttributes) noexcept;
template Attributes::Attributes(TopKAttributes) noexcept;
template Attributes::Attributes(FftAttributes) noexcept;
template Attributes::Attributes(CholeskyAttributes) noexcept;
template Attributes::Attributes(TriangularSolveAttributes) noexcept;
template Attributes::Attributes(ReducePrecisionAttributes) noexcept;
template Attributes::Attributes(BatchNormAttributes) noexcept;
template Attributes::Attributes(ScanAttributes) noexcept;
template Attributes::Attributes(RngAttributes) noexcept;
template Attributes::Attributes(RngBitGeneratorAttributes) noexcept;
template Attributes::Attributes(RngGetAndUpdateStateAttributes) noexcept;
template Attributes::Attributes(ParameterAttributes) noexcept;
template Attributes::Attributes(GetTupleElementAttributes) noexcept;
template Attributes::Attributes(ConstantAttributes) noexcept;
template Attributes::Attributes(CustomCallAttributes) noexcept;
template Attributes::Attributes(FusionAttributes) noexcept;
template Attributes::Attributes(InfeedAttributes) noexcept;
template Attributes::Attributes(OutfeedAttributes) noexcept;
template Attributes::Attributes(ChannelAttributes) noexcept;
template Attributes::Attributes(CollectiveAttributes) noexcept;
template Attributes::Attributes(CollectivePermuteAttributes) noexcept;
template Attributes::Attributes(AsyncAttributes) noexcept;
template Attributes::Attributes(CopyStartAttributes) noexcept;
template Attributes::Attributes(DomainAttributes) noexcept;

}  // namespace indim
