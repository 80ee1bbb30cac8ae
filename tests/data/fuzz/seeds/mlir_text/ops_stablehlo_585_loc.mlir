module {
  func.func @foo() {
    return loc(#loc2)
  } loc(#loc1)
  func.func @composite_c1() {
    stablehlo.composite "f00._.$"  {decomposition = @foo} : () -> () loc(#loc4)
    return loc(#loc5)
  } loc(#loc3)
} loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":1:1)
#loc2 = loc("-":1:20)
#loc3 = loc("-":2:1)
#loc4 = loc("-":4:3)
#loc5 = loc("-":5:3)
