import StrataBase
import StrataJournal

/// Makes the file of a backup, or restores one, on an executor of its own: verifying a copy takes long, and
/// neither the writer nor Swift's thread pool should wait for it.
package actor BackupWorker {
  private let executor = FileExecutor(label: "strata.backup")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let file: NewFile

  package init(_ file: NewFile) { self.file = file }

  package func run<R: Sendable>(_ work: @Sendable (NewFile) throws -> R) throws -> R {
    try work(file)
  }
}
