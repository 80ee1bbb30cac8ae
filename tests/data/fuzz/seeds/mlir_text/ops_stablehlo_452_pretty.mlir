module {
  func.func @custom_call_with_dictionary_backend_config() {
    stablehlo.custom_call @foo() {api_version = 4 : i32, backend_config = {foo = 42 : i32}} : () -> ()
    return
  }
}
