func.func @main() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %operand = stablehlo.constant dense<[0, 1]> : tensor<2xui4>
  %result = stablehlo.convert %operand : (tensor<2xui4>) -> tensor<2xcomplex<f64>>
  
    %exp0 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f64>>
  %x0real = stablehlo.real %result : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %y0real = stablehlo.real %exp0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %x0imag = stablehlo.imag %result : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %y0imag = stablehlo.imag %exp0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  func.return %x0real, %y0real, %x0imag, %y0imag : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
