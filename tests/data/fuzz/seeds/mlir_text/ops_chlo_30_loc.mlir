#loc2 = loc("-":1:26)
module {
  func.func @top_k_bounded(%arg0: tensor<?x?x?xf32, #stablehlo.bounds<?, 16, 16>> loc("-":1:26)) {
    %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<?x?x?xf32, #stablehlo.bounds<?, 16, 16>> -> (tensor<16x?x8xf32, #stablehlo.bounds<?, 16, ?>>, tensor<16x?x8xi32, #stablehlo.bounds<?, 16, ?>>) loc(#loc3)
    return loc(#loc4)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":1:1)
#loc3 = loc("-":2:10)
#loc4 = loc("-":3:3)
