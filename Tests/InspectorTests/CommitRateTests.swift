import Foundation
import Strata
import StrataInspection
import StrataJournal
import TestSupport
import Testing

/// The rate of commits: ``CommitRate``.
@Suite struct CommitRateTests {
  @Test func `whatever the times, no commit is lost and the buckets are bounded`() {
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      var rate = CommitRate()
      var time = Int64.random(in: -1_000_000...1_000_000_000_000, using: &random)
      let count = Int.random(in: 1...2_000, using: &random)
      for number in 1...count {
        if Int.random(in: 0..<10, using: &random) == 0 {
          time += Int64.random(in: 0...100_000_000_000, using: &random)
        } else {
          time += Int64.random(in: 0...1_000, using: &random)
        }
        rate.add(Revision(Int64(number)), at: time)
      }
      #expect(rate.buckets.count <= CommitRate.most, "seed \(seed)")
      #expect(rate.buckets.map(\.deltas).reduce(0, +) == count, "seed \(seed)")
      let last = rate.buckets.map(\.last)
      #expect(last == last.sorted() && last.last == Int64(count), "seed \(seed)")
      #expect(rate.end == time, "seed \(seed)")
    }
  }

  @Test func `times at the ends of what a file may say are counted`() {
    var rate = CommitRate()
    for (number, time) in [Int64.min, 0, .max, -5].enumerated() {
      rate.add(Revision(Int64(number + 1)), at: time)
    }
    #expect(rate.deltas == 4)
    #expect(rate.buckets.map(\.deltas).reduce(0, +) == 4)
  }

  @Test func `a rate that goes on is the rate that is counted at once`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await closedLibrary(at: path)
    let early = try Inspector(path: path).rate()
    #expect(early.deltas == 4)
    try await commit(50, at: path)
    let inspector = try Inspector(path: path)
    #expect(try inspector.rate(continuing: early) == inspector.rate())
    #expect(try inspector.rate().deltas == 54)
  }

  @Test func `a rate of another copy of the store is not continued`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let copy = directory.path("copy.strata")
    try await closedLibrary(at: path)
    try copyStore(from: path, to: copy)
    try await commit(50, at: path)
    let early = try Inspector(path: path).rate()
    #expect(early.deltas == 54)
    try await commit(60, at: copy)
    let inspector = try Inspector(path: copy)
    #expect(try inspector.rate(continuing: early) == inspector.rate())
  }
}
