"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>), sym_name = "while"}> ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<4xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
    %0 = "arith.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "arith.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %2 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "arith.constant"() <{value = dense<1000> : tensor<i32>}> : () -> tensor<i32>
    %4:3 = "stablehlo.while"(%2, %0, %3) ({
    ^bb0(%arg12: tensor<i32>, %arg13: tensor<i32>, %arg14: tensor<i32>):
      %6 = "stablehlo.compare"(%arg12, %arg14) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg9: tensor<i32>, %arg10: tensor<i32>, %arg11: tensor<i32>):
      %5 = "stablehlo.add"(%arg9, %1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%5, %arg10, %arg11) : (tensor<i32>, tensor<i32>, tensor<i32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
    "func.return"(%4#0, %4#2, %4#2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()
