module {
  func.func private @future_type_complex() -> !stablehlo.future<tensor<2xcomplex<f32>>> loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":3:1)
