#loc2 = loc("-":1:21)
module {
  func.func @top_k_nd(%arg0: tensor<16x16xf32> loc("-":1:21)) {
    %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<16x16xf32> -> (tensor<16x8xf32>, tensor<16x8xi32>) loc(#loc3)
    return loc(#loc4)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":1:1)
#loc3 = loc("-":2:10)
#loc4 = loc("-":3:3)
