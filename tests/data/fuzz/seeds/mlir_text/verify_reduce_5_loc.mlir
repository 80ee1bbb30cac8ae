#loc2 = loc("-":2:41)
#loc3 = loc("-":2:65)
#loc5 = loc("-":6:8)
#loc6 = loc("-":6:28)
module {
  func.func @reduce_with_promotable_types(%arg0: tensor<4x4xf32> loc("-":2:41), %arg1: tensor<f32> loc("-":2:65)) -> tensor<4xf64> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf64>
     reducer(%arg2: tensor<f64> loc("-":6:8), %arg3: tensor<f64> loc("-":6:28))  {
      %1 = stablehlo.add %arg2, %arg3 : tensor<f64> loc(#loc7)
      stablehlo.return %1 : tensor<f64> loc(#loc8)
    } loc(#loc4)
    return %0 : tensor<4xf64> loc(#loc9)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":4:8)
#loc7 = loc("-":7:10)
#loc8 = loc("-":8:5)
#loc9 = loc("-":12:3)
