#loc3 = loc("-":5:47)
module {
  func.func private @mesh() loc(#loc1)
  func.func @all_gather_replica_group_mesh_axes(%arg0: tensor<16x8xf32> loc("-":5:47)) -> tensor<16x16xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "foo">, #stablehlo.axis_ref<name = "bar">]>}> : (tensor<16x8xf32>) -> tensor<16x16xf32> loc(#loc4)
    return %0 : tensor<16x16xf32> loc(#loc5)
  } loc(#loc2)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc2 = loc("-":5:1)
#loc4 = loc("-":6:13)
#loc5 = loc("-":11:3)
