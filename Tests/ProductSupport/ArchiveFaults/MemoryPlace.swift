package import Foundation
package import StrataArchiving
import StrataBase

/// A ``MemoryArchive`` of a fault run: one clock for all.
package final class MemoryPlace: ArchivePlace {
  private let memory: MemoryArchive
  private let shift: Lock<TimeInterval>
  private let copy = Lock<MemoryArchive.Contents?>(nil)

  package init(fence: MemoryArchive.Fence = .on) {
    let shift = Lock<TimeInterval>(0)
    self.shift = shift
    memory = MemoryArchive(fence: fence) {
      Scheduling.date.addingTimeInterval(shift.withLock { $0 })
    }
  }

  package func archive(of machine: Int) -> any Archive { memory.another() }
  package func direct() -> any Archive { memory }

  package func keepCopy() async {
    let contents = await memory.contents
    copy.withLock { $0 = contents }
  }

  package func goBack() async {
    guard let contents = copy.withLock({ $0 }) else { return }
    await memory.replace(by: contents)
  }

  package func holds(_ text: String) async -> Bool {
    await memory.contents.bodies.contains { Data($0).range(of: Data(text.utf8)) != nil }
  }

  package func moveClock(of machine: Int, by seconds: TimeInterval) {
    shift.withLock { $0 += seconds }
  }

  /// There is one clock, which is right by definition.
  package func setClocks() {}
}
