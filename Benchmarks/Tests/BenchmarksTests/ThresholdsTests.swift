import Foundation
import Testing

@testable import Benchmarks

struct ThresholdsTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/thresholds-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test func `a threshold is a tenth behind the worst process`() {
    var thresholds = Thresholds()
    thresholds.record(
      [.advantage("read.a", 10, 8, 11), .cost("read.b", 10, 9, 15)],
      of: .all
    )
    #expect(thresholds == Thresholds(atLeast: ["read.a": 7.2], atMost: ["read.b": 16.5]))
  }

  @Test func `processes that agree count as 5 % apart`() {
    var thresholds = Thresholds()
    thresholds.record([.advantage("read.a", 1_000), .cost("read.b", 0.02)], of: .all)
    #expect(thresholds == Thresholds(atLeast: ["read.a": 855], atMost: ["read.b": 0.0231]))
  }

  @Test func `a run of all benchmarks removes thresholds without a line`() {
    let old = Thresholds(atLeast: ["read.a": 1], atMost: ["read.b": 1, "read.server": 1])
    var unmeasured = Line.cost("read.server", 1)
    unmeasured.pairs = Pairs()
    let lines = [Line.cost("read.a", 200), unmeasured]
    var (all, some) = (old, old)
    all.record(lines, of: .all)
    some.record(lines, of: .some)
    #expect(all == Thresholds(atMost: ["read.a": 231, "read.server": 1]))
    #expect(some == Thresholds(atMost: ["read.a": 231, "read.b": 1, "read.server": 1]))
  }

  @Test func `a folder has a file for each group`() throws {
    try withFolder { folder in
      let thresholds = Thresholds(atLeast: ["read.a": 0.3], atMost: ["read.b": 2, "write.a": 1.16])
      try thresholds.write(to: folder)
      #expect(try Thresholds(folder: folder) == thresholds)
      let read = try String(contentsOfFile: folder + "/read.json", encoding: .utf8)
      #expect(
        read == """
          {
            "atLeast" : {
              "read.a" : 0.3
            },
            "atMost" : {
              "read.b" : 2
            }
          }

          """
      )
      let write = try String(contentsOfFile: folder + "/write.json", encoding: .utf8)
      #expect(write == "{\n  \"atMost\" : {\n    \"write.a\" : 1.16\n  }\n}\n")
      try Thresholds(atLeast: ["read.a": 3]).write(to: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["read.json"])
    }
  }

  @Test func `a threshold in the file of another group is an error`() throws {
    try withFolder { folder in
      try Thresholds(atLeast: ["read.a": 3]).write(to: folder)
      try FileManager.default.moveItem(atPath: folder + "/read.json", toPath: folder + "/all.json")
      let failure = #expect(throws: Thresholds.Failure.self) { try Thresholds(folder: folder) }
      #expect(
        failure?.description == "The threshold of read.a is in all.json. Move it to read.json."
      )
    }
  }
}
