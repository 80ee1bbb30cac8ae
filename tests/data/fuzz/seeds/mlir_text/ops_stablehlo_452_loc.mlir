module {
  func.func @custom_call_with_dictionary_backend_config() {
    stablehlo.custom_call @foo() {api_version = 4 : i32, backend_config = {foo = 42 : i32}} : () -> () loc(#loc2)
    return loc(#loc3)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":1:1)
#loc2 = loc("-":3:3)
#loc3 = loc("-":4:3)
