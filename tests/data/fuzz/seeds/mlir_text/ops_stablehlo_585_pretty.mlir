module {
  func.func @foo() {
    return
  }
  func.func @composite_c1() {
    stablehlo.composite "f00._.$"  {decomposition = @foo} : () -> ()
    return
  }
}
