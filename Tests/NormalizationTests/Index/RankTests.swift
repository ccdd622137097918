import Foundation
import StrataNormalization
import TestSupport
import Testing

@Suite struct RankTests {
  @Test func `there is a rank between any two, before the first and after the last`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      var generator = SeededGenerator(seed: seed)
      var ranks: [Rank] = []
      for _ in 0..<200 {
        // Often at one and the same place.
        let position =
          Bool.random(using: &generator)
          ? ranks.count / 2 : Int.random(in: 0...ranks.count, using: &generator)
        let rank = Rank(
          after: position > 0 ? ranks[position - 1] : nil,
          before: position < ranks.count ? ranks[position] : nil
        )
        ranks.insert(rank, at: position)
      }
      #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 }, "\(generator)")
      #expect(ranks.map(\.description).sorted() == ranks.map(\.description), "\(generator)")
    }
  }

  @Test func `a hundred thousand ranks at an end stay short`() {
    var last = Rank(after: nil, before: nil)
    var first = last
    for _ in 0..<100_000 {
      let (next, previous) = (Rank(after: last, before: nil), Rank(after: nil, before: first))
      #expect(next > last && previous < first)
      (last, first) = (next, previous)
    }
    #expect(last.description.count <= 7)
    #expect(first.description.count <= 7)
  }

  @Test func `a rank inserted at one place grows by a digit every six times`() {
    var (lower, upper) = (Rank(after: nil, before: nil), Rank?.none)
    for _ in 0..<600 { (lower, upper) = (lower, Rank(after: lower, before: upper)) }
    #expect(upper.map { $0.description.count } ?? 0 <= 110)
  }

  @Test func `a rank is coded as its text`() throws {
    let rank = Rank(after: Rank(after: nil, before: nil), before: nil)
    let data = try JSONEncoder().encode([rank])
    #expect(data == Data(#"["\#(rank)"]"#.utf8))
    #expect(try JSONDecoder().decode([Rank].self, from: data) == [rank])
  }

  @Test(arguments: ["", "0", "P0", "a b", "~", "ä"])
  func `a text that is no rank is refused`(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Rank].self, from: Data(#"["\#(text)"]"#.utf8))
    }
  }
}
