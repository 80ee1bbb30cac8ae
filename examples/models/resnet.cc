#include "indim/examples/models/resnet.h"

#include "indim/builder/composites/math.h"
#include "indim/builder/composites/normalization.h"
#include "indim/builder/composites/pooling.h"
#include "indim/builder/composites/reductions.h"
#include "indim/examples/models/weights.h"

namespace indim {
namespace {

Op ConvNorm(ComputationBuilder& b, Op x, int64_t size, int64_t from, int64_t to,
            int64_t stride) {
  Op kernel = Weights(b, {size, size, from, to});
  const int64_t pad = size / 2;
  Op y = b.ConvGeneral(x, kernel, {stride, stride}, {{pad, pad}, {pad, pad}},
                       "NHWC,HWIO->NHWC");
  Op scale = Weights(b, {to}), offset = Weights(b, {to});
  Op mean = Weights(b, {to}), variance = Weights(b, {to});
  return BatchNormInference(y, scale, offset, mean, variance);
}

Op Bottleneck(ComputationBuilder& b, Op x, int64_t from, int64_t width,
              int64_t stride) {
  Op y = Relu(ConvNorm(b, x, 1, from, width, 1));
  y = Relu(ConvNorm(b, y, 3, width, width, stride));
  y = ConvNorm(b, y, 1, width, 4 * width, 1);
  if (from != 4 * width) x = ConvNorm(b, x, 1, from, 4 * width, stride);
  return Relu(x + y);
}

}  // namespace

absl::StatusOr<Module> ResNet(const ResNetSizes& s) {
  ComputationBuilder b("resnet");
  Op x = Weights(b, {s.batch, s.image, s.image, 3});
  x = Relu(ConvNorm(b, x, 7, 3, s.width, 2));
  x = MaxPool(x, {1, 3, 3, 1}, {1, 2, 2, 1}, {{0, 0}, {1, 1}, {1, 1}, {0, 0}});
  int64_t features = s.width;
  for (size_t stage = 0; stage < s.blocks.size(); ++stage) {
    for (int64_t block = 0; block < s.blocks[stage]; ++block) {
      const int64_t width = s.width << stage;
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = Bottleneck(b, x, features, width, stride);
      features = 4 * width;
    }
  }
  Op weights = Weights(b, {features, s.classes});
  Op bias = Weights(b, {s.classes});
  return b.Build(Softmax(b.Add(b.Dot(Mean(x, {1, 2}), weights), bias, {1})));
}

}  // namespace indim
