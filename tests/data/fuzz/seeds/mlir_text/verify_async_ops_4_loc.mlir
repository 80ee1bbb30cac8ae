#loc2 = loc("-":3:45)
#loc4 = loc("-":5:8)
module {
  func.func @async_start_collective_broadcast(%arg0: tensor<16x8xf32> loc("-":3:45)) -> !stablehlo.future<tensor<16x8xf32>> {
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<16x8xf32> loc("-":5:8)):
      %1 = "stablehlo.collective_broadcast"(%arg1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<16x8xf32>) -> tensor<16x8xf32> loc(#loc5)
      stablehlo.return %1 : tensor<16x8xf32> loc(#loc6)
    }) : (tensor<16x8xf32>) -> !stablehlo.future<tensor<16x8xf32>> loc(#loc3)
    return %0 : !stablehlo.future<tensor<16x8xf32>> loc(#loc7)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":3:1)
#loc3 = loc("-":4:8)
#loc5 = loc("-":6:10)
#loc6 = loc("-":9:5)
#loc7 = loc("-":11:3)
