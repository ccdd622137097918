import Foundation
import ProductSupport
import StrataArchiving
import StrataBase
import StrataJournal
import TestSupport
import Testing

/// Readers of a folder whose history is replaced meanwhile.
struct RestartedFolderTests {
  /// Runs a function once, after a file was read the first time.
  private final class AfterRead: DiskWatch {
    private struct Reading: Sendable {
      let run: @Sendable () -> Void
    }

    private let file: String
    private let next: Lock<Reading?>

    init(of file: String, _ run: @escaping @Sendable () -> Void) {
      self.file = file
      next = Lock(Reading(run: run))
    }

    func fault(before call: DiskCall) -> DiskCall.Fault? { nil }

    func didMake(_ call: DiskCall) {
      guard case .read(file) = call else { return }
      let reading = next.withLock { next in
        defer { next = nil }
        return next
      }
      reading?.run()
    }
  }

  @Test
  func `what is read while an archive starts again is of one history`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("archive")
    let leader = FolderArchive(path)
    let head = try await leader.lead(ArchiveConformance.candidate())
    let term = ArchiveTerm(epoch: head.epoch, lease: ArchiveConformance.lease)
    for revision: Int64 in 1...4 {
      let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
      try await leader.append(segment, catalog: [1], in: term)
    }
    let chunk = ArchiveChunk(body: [1, 2])
    try await leader.add([chunk], in: term)
    let snapshot = ArchiveConformance.snapshot(2)
    let rewritten = ArchiveConformance.segment(
      through: 5,
      "rewritten",
      after: snapshot.mark,
      epoch: term.epoch
    )
    let failure = Lock<String?>(nil)
    let restart = AfterRead(of: "\(path)/head") {
      let end = DispatchSemaphore(value: 0)
      Task {
        do {
          let list = ArchiveSnapshot.List(image: [7], chunks: [1: chunk.id])
          try await leader.restart(from: snapshot, list, [rewritten], catalog: [9], in: term)
        } catch {
          failure.withLock { $0 = "\(error)" }
        }
        end.signal()
      }
      end.wait()
    }
    let reader = FolderArchive(path, on: Disk(watch: restart))
    #expect(try await reader.segments(after: 0, bytes: .max) == [rewritten])
    #expect(failure.withLock { $0 } == nil)
  }
}
