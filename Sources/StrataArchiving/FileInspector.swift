import StrataBase
import StrataJournal

/// An `Inspector` on an executor of its own, for callers that await other things in between.
actor FileInspector: ComparedFile {
  private let executor = FileExecutor(label: "strata.inspector")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  nonisolated let path: StorePath
  private let disk: Disk
  private var inspector: Inspector?

  init(_ path: StorePath, on disk: Disk) {
    self.path = path
    self.disk = disk
  }

  /// Whether a writer has the file open.
  func hasWriter() throws(PersistenceError) -> Bool {
    try opened().access.mode == .live
  }

  /// Runs a query.
  func read<R: Sendable>(
    _ body: @Sendable (ReadView) throws -> R
  ) throws(PersistenceError) -> R {
    try opened().query(body)
  }

  private func opened() throws(PersistenceError) -> Inspector {
    if let inspector { return inspector }
    let inspector = try Inspector(path: path.file, on: disk)
    self.inspector = inspector
    return inspector
  }

  /// Releases the file; the next query opens it again.
  func close() { inspector = nil }
}
