#loc2 = loc("-":2:17)
#loc3 = loc("-":2:41)
#loc5 = loc("-":5:8)
#loc6 = loc("-":5:32)
module {
  func.func @scan(%arg0: tensor<2x3xf32> loc("-":2:17), %arg1: tensor<3xf32> loc("-":2:41)) -> tensor<2x3xf32> {
    %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
    ^bb0(%input: tensor<3xf32> loc("-":5:8), %carry: tensor<3xf32> loc("-":5:32)):
      %1 = stablehlo.add %input, %carry : tensor<3xf32> loc(#loc7)
      stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32> loc(#loc8)
    } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) loc(#loc4)
    return %0#0 : tensor<2x3xf32> loc(#loc9)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":4:12)
#loc7 = loc("-":6:10)
#loc8 = loc("-":7:5)
#loc9 = loc("-":9:3)
