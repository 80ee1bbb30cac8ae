"builtin.module"() ({
  "func.func"() <{function_type = (tensor<100x26x26x32xi8>, tensor<3x3x1x32xi8>) -> tensor<100x28x28x1xi32>, sym_name = "convolution_upcast"}> ({
  ^bb0(%arg0: tensor<100x26x26x32xi8>, %arg1: tensor<3x3x1x32xi8>):
    %0 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<2> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> : (tensor<100x26x26x32xi8>, tensor<3x3x1x32xi8>) -> tensor<100x28x28x1xi32>
    "func.return"(%0) : (tensor<100x28x28x1xi32>) -> ()
  }) : () -> ()
}) : () -> ()
