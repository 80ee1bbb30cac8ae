module {
  func.func @while(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<4xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %cst = arith.constant dense<-1> : tensor<i32>
    %cst_0 = arith.constant dense<1> : tensor<i32>
    %cst_1 = arith.constant dense<0> : tensor<i32>
    %cst_2 = arith.constant dense<1000> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %cst_1, %iterArg_3 = %cst, %iterArg_4 = %cst_2) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %iterArg_4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %cst_0 : tensor<i32>
      stablehlo.return %1, %iterArg_3, %iterArg_4 : tensor<i32>, tensor<i32>, tensor<i32>
    }
    return %0#0, %0#2, %0#2 : tensor<i32>, tensor<i32>, tensor<i32>
  }
}
