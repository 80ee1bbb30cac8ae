module {
  func.func private @future_type_complex() -> !stablehlo.future<tensor<2xcomplex<f32>>>
}
