module {
  func.func @top_k_nd(%arg0: tensor<16x16xf32>) {
    %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<16x16xf32> -> (tensor<16x8xf32>, tensor<16x8xi32>)
    return
  }
}
