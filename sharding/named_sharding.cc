#include "indim/sharding/named_sharding.h"

#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_named = field::NamedShardingProto;
namespace of_dim = field::NamedShardingProto_DimensionSharding;

}  // namespace

NamedSharding NamedSharding::FromWire(absl::string_view wire) {
  FieldList fields(WireMessage::kNamedShardingProto);
  fields.Append(wire);
  NamedSharding named;
  named.mesh = Mesh::FromWire(fields.Text(of_named::kMesh));
  for (absl::string_view text : fields.Texts(of_named::kDimShardings)) {
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.Append(text);
    named.dims.push_back({AxesFromWire(dim.Texts(of_dim::kAxes)),
                          dim.Number(of_dim::kIsClosed) == 0, std::nullopt});
  }
  named.replicated = AxesFromWire(fields.Texts(of_named::kReplicatedAxes));
  named.unreduced = AxesFromWire(fields.Texts(of_named::kUnreducedAxes));
  named.manual = AxesFromWire(fields.Texts(of_named::kManualAxes));
  named.reduction = fields.Number(of_named::kReductionOp);
  for (absl::string_view text : fields.Texts(of_named::kMetadata)) {
    named.metadata.emplace_back(text);
  }
  return named;
}

std::string NamedSharding::ToWire() const {
  FieldList fields(WireMessage::kNamedShardingProto);
  fields.SetText(of_named::kMesh, mesh.ToWire());
  std::vector<std::string> texts;
  for (const DimSharding& dim : dims) {
    FieldList to(WireMessage::kNamedShardingProto_DimensionSharding);
    to.SetTexts(of_dim::kAxes, AxesToWire(dim.axes));
    to.SetNumber(of_dim::kIsClosed, dim.is_open ? 0 : 1);
    texts.push_back(to.Serialize());
  }
  fields.SetTexts(of_named::kDimShardings, texts);
  fields.SetTexts(of_named::kReplicatedAxes, AxesToWire(replicated));
  fields.SetTexts(of_named::kUnreducedAxes, AxesToWire(unreduced));
  fields.SetTexts(of_named::kManualAxes, AxesToWire(manual));
  fields.SetNumber(of_named::kReductionOp, reduction);
  fields.SetTexts(of_named::kMetadata, metadata);
  return fields.Serialize();
}

}  // namespace indim
