/// The steps of callbacks, in order.
final class Log {
  var lines: [String] = []

  func add(_ line: String) {
    lines.append(line)
  }
}
