// ResNet, ready to classify images: bottleneck blocks, batch normalization with
// the statistics of the training.
//
// Source: He et al., Deep Residual Learning for Image Recognition; like
// PyTorch's torchvision, a block strides in its 3 by 3 convolution.

#ifndef INDIM_EXAMPLES_MODELS_RESNET_H_
#define INDIM_EXAMPLES_MODELS_RESNET_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

struct ResNetSizes {
  int64_t batch = 1;
  int64_t image = 224;
  int64_t width = 64;
  std::vector<int64_t> blocks = {3, 4, 6, 3};  // of each stage: ResNet-50
  int64_t classes = 1000;
};

// Parameters: images f32[batch,image,image,3]; then, in the order of the
// convolutions, for each its kernel (height, width, input features, features)
// and scale, offset, mean and variance of its normalization; then the weights
// and the bias of the last layer. Result: f32[batch,classes], probabilities.
absl::StatusOr<Module> ResNet(const ResNetSizes& sizes = {});

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_RESNET_H_
