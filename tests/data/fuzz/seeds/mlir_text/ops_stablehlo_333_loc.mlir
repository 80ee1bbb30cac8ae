#loc2 = loc("-":2:53)
#loc3 = loc("-":2:79)
module {
  func.func @dot_general_one_element_precision_config(%arg0: tensor<2x3x4xf32> loc("-":2:53), %arg1: tensor<2x3x5xf32> loc("-":2:79)) -> tensor<2x4x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT] : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32> loc(#loc4)
    return %0 : tensor<2x4x5xf32> loc(#loc5)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":3:8)
#loc5 = loc("-":12:3)
