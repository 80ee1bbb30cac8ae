#loc2 = loc("-":2:31)
#loc3 = loc("-":3:5)
module {
  func.func @convolution_upcast(%arg0: tensor<100x26x26x32xi8> loc("-":2:31), %arg1: tensor<3x3x1x32xi8> loc("-":3:5)) -> tensor<100x28x28x1xi32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<100x26x26x32xi8>, tensor<3x3x1x32xi8>) -> tensor<100x28x28x1xi32> loc(#loc4)
    return %0 : tensor<100x28x28x1xi32> loc(#loc5)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":4:13)
#loc5 = loc("-":23:3)
