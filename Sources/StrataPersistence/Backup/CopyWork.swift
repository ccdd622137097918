/// The making of a copy, on a thread of control of its own: proving one takes its time, and nobody
/// else waits for it.
actor CopyWork {
  private let executor = FileExecutor(label: "strata.copy")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let file: NewFile

  init(_ file: NewFile) { self.file = file }

  func run<R: Sendable>(_ work: @Sendable (NewFile) throws -> R) throws -> R { try work(file) }
}
