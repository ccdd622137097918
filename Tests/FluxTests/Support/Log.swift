/// What callbacks did, in order.
final class Log {
  var lines: [String] = []

  func add(_ line: String) {
    lines.append(line)
  }
}

/// An error of a callback's own.
struct Refusal: Error, Equatable {}
