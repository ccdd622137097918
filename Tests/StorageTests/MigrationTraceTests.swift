import StrataJournal
import Testing

@Suite struct MigrationTraceTests {
  @Test(arguments: [.up(3), .down(200), .revert(to: 7)] as [MigrationTrace])
  func `a trace is read as it was written, and nothing else is one`(_ trace: MigrationTrace) {
    let bytes = trace.bytes
    #expect(MigrationTrace(bytes: bytes) == trace)
    #expect(MigrationTrace(bytes: bytes + [0]) == nil)
    for count in 0..<bytes.count {
      #expect(MigrationTrace(bytes: Array(bytes.prefix(count))) == nil)
    }
  }

  @Test func `a trace is a byte and a number`() {
    #expect(MigrationTrace.up(3).bytes == [1, 3])
    #expect(MigrationTrace.down(200).bytes == [2, 200, 1])
    #expect(MigrationTrace.revert(to: 7).bytes == [3, 7])
  }

  @Test(arguments: [[], [0], [0, 1], [4, 7], Array("strata.migration up 3".utf8)])
  func `bytes of something else are no trace`(_ bytes: [UInt8]) {
    #expect(MigrationTrace(bytes: bytes) == nil)
  }
}
