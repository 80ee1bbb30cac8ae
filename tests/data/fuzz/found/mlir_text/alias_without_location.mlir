func.func @f() {
  return loc(#loc.)
}
