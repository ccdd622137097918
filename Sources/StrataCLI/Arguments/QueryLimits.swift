import ArgumentParser
import StrataBase
import StrataSQLite

/// What bounds a query.
struct QueryLimits: ParsableArguments {
  @Option(help: "The seconds after which the query is given up.")
  private var timeout: Double = 30

  @OptionGroup private var memory: MemoryLimit

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout must be more than 0 and at most 86400.")
    }
  }

  /// Sets the limit of memory, and returns that of time.
  func apply() -> Duration {
    memory.apply()
    return .milliseconds(Int64(timeout * 1_000))
  }
}

/// What bounds the memory of SQLite.
package struct MemoryLimit: ParsableArguments {
  package init() {}

  @Option(help: "The megabytes of memory that SQLite may use. (default: 256)")
  private var memory: Int?

  package func validate() throws { try Self.check(memory) }

  func apply() { Self.apply(memory, default: 256) }
}

extension MemoryLimit {
  static func check(_ megabytes: Int?) throws {
    guard (16...1_000_000).contains(megabytes ?? 16) else {
      throw ValidationError("--memory must be at least 16 and at most 1000000.")
    }
  }

  /// Sets a limit, and says on standard error when one that was asked for has no effect.
  static func apply(_ megabytes: Int?, default usual: Int) {
    SQLiteHeap.setLimit(bytes: (megabytes ?? usual) << 20)
    if let note = note(on: megabytes, isCounted: SQLiteHeap.isCounted) { StandardError.write(note) }
  }

  package static func note(on megabytes: Int?, isCounted: Bool) -> String? {
    guard megabytes != nil, !isCounted else { return nil }
    return "strata: --memory has no effect: the SQLite of this system does not count its memory.\n"
  }
}
