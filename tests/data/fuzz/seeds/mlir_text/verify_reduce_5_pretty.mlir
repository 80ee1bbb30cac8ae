module {
  func.func @reduce_with_promotable_types(%arg0: tensor<4x4xf32>, %arg1: tensor<f32>) -> tensor<4xf64> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf64>
     reducer(%arg2: tensor<f64>, %arg3: tensor<f64>)  {
      %1 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }
    return %0 : tensor<4xf64>
  }
}
