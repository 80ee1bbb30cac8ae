module {
  func.func @reduce_complex_type(%arg0: tensor<1x2xcomplex<f32>>, %arg1: tensor<complex<f32>>) -> tensor<1xcomplex<f32>> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<1x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    return %0 : tensor<1xcomplex<f32>>
  }
}
