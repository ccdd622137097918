/// The making of a copy, on a thread of control of its own: proving one takes its time, and nobody
/// else waits for it.
package actor CopyWorker {
  private let executor = FileExecutor(label: "strata.copy")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let file: NewFile

  package init(_ file: NewFile) { self.file = file }

  package func run<R: Sendable>(_ work: @Sendable (NewFile) throws -> R) throws -> R {
    try work(file)
  }
}
