import ArgumentParser
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
struct MemoryLimit: ParsableArguments {
  @Option(help: "The megabytes of memory that SQLite may use.")
  private var memory: Int = 256

  func validate() throws {
    guard (16...1_000_000).contains(memory) else {
      throw ValidationError("--memory must be at least 16 and at most 1000000.")
    }
  }

  func apply() { SQLiteHeap.setLimit(bytes: memory << 20) }
}
