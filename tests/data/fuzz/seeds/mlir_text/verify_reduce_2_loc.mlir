#loc2 = loc("-":2:32)
#loc3 = loc("-":2:65)
module {
  func.func @reduce_complex_type(%arg0: tensor<1x2xcomplex<f32>> loc("-":2:32), %arg1: tensor<complex<f32>> loc("-":2:65)) -> tensor<1xcomplex<f32>> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<1x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<1xcomplex<f32>> loc(#loc4)
    return %0 : tensor<1xcomplex<f32>> loc(#loc5)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("foo")
#loc5 = loc("-":11:3)
