import Foundation
import ProductSupport
import StrataBase
import StrataStorage
import TestSupport
import Testing

/// The archive in memory that other tests use does what an archive must do.
struct MemoryArchiveTests {
  @Test(arguments: ArchiveConformance.Law.allCases)
  func conforms(to law: ArchiveConformance.Law) async throws {
    let shift = Lock<TimeInterval>(0)
    let archive = MemoryArchive { Date(timeIntervalSinceNow: shift.withLock { $0 }) }
    let conformance = ArchiveConformance(open: { archive }) { duration in
      shift.withLock { $0 += duration / .seconds(1) }
    }
    try await conformance.check(law)
  }
}
