module {
  func.func @test_unary_result_accuracy_default(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.cbrt %arg0 : tensor<2xf32>
    %1 = stablehlo.cosine %arg0 : tensor<2xf32>
    %2 = stablehlo.exponential %arg0 : tensor<2xf32>
    %3 = stablehlo.exponential_minus_one %arg0 : tensor<2xf32>
    %4 = stablehlo.log %arg0 : tensor<2xf32>
    %5 = stablehlo.log_plus_one %arg0 : tensor<2xf32>
    %6 = stablehlo.logistic %arg0 : tensor<2xf32>
    %7 = stablehlo.rsqrt %arg0 : tensor<2xf32>
    %8 = stablehlo.sine %arg0 : tensor<2xf32>
    %9 = stablehlo.sqrt %arg0 : tensor<2xf32>
    %10 = stablehlo.tan %arg0 : tensor<2xf32>
    %11 = stablehlo.tanh %arg0 : tensor<2xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
