#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The standard error of the process, for messages that no caller receives: unbuffered, so that an assertion
/// after it does not lose it.
package enum StandardError {
  /// Writes what happened and what to do, and fails an assertion in a debug build.
  package static func report(
    _ text: String,
    assertion: String,
    file: StaticString = #file,
    line: UInt = #line
  ) {
    write(text + "\n")
    assertionFailure("\(assertion): see the line above.", file: file, line: line)
  }

  /// Writes a text; what cannot be written is dropped.
  package static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Darwin)
          Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
          Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
          Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// Something that a person should hear although a call succeeds, and that its result has no place for.
///
/// The `strata` command prints it to standard error. A program does not see it: the status of a store and `strata doctor`
/// say the same.
package enum Notice {
  private struct Listener: Sendable {
    var hear: (@Sendable (String) -> Void)?
  }

  private static let listener = Lock(Listener())

  /// Whether anybody hears; for a notice that costs something to find.
  package static var isHeard: Bool { listener.withLock { $0.hear != nil } }

  /// Sets what hears the notices of the process: once, before anything else runs.
  package static func hear(_ hear: @escaping @Sendable (String) -> Void) {
    listener.withLock { $0.hear = hear }
  }

  /// Reports a notice: a clause, without a full stop.
  package static func report(_ text: @autoclosure () -> String) {
    if let listener = listener.withLock({ $0.hear }) { listener(text()) }
  }
}
