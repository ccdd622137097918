/// A value of a type that the caller has found to be the other one as well.
///
/// The caller has compared the types, `From.self == To.self`. A cast would compare them again, and
/// look up the generic types around them, at ten times the cost; in a generic coder it is run for
/// every element of every array.
@inline(__always)
func identical<From, To>(_ value: From, to type: To.Type) -> To {
  unsafeBitCast(value, to: type)
}
