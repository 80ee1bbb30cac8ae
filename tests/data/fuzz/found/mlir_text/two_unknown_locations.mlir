func.func @f() {
  stablehlo.custom_call @foo() : () -> () loc(unknown)
  return
}
