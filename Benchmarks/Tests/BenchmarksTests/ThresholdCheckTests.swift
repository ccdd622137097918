import Testing

@testable import Benchmarks

struct ThresholdCheckTests {
  private let thresholds = Thresholds(atLeast: ["read.a": 10], atMost: ["read.b": 2])

  private func check(_ lines: [Line], of scope: Thresholds.Scope = .all) -> ThresholdCheck {
    ThresholdCheck(lines, against: thresholds, of: scope)
  }

  @Test func `lines at their thresholds pass`() {
    let check = check([.advantage("read.a", 10), .cost("read.b", 2)])
    #expect(check.compared == ["read.a", "read.b"])
    #expect(check.linesToRepeat == [])
    #expect(check.isPassed)
  }

  @Test func `a line that is outside each time is measured three times more and fails`() {
    var check = check([.advantage("read.a", 9.9), .cost("read.b", 2)])
    for ratio in [9.8, 9.7, 9.6] {
      #expect(check.linesToRepeat == ["read.a"])
      check.add([.advantage("read.a", ratio)])
    }
    #expect(check.linesToRepeat == [])
    #expect(check.outside.map(\.ratios) == [[9.9, 9.8, 9.7, 9.6]])
    #expect(!check.isPassed)
    #expect(check.text().contains("≥ 10×  9.9×, 9.8×, 9.7×, 9.6×  outside"))
  }

  @Test func `a line that is inside once passes and is not measured again`() {
    var check = check([.advantage("read.a", 10), .cost("read.b", 2.1)])
    check.add([.cost("read.b", 2.2)])
    // The benchmark of a line may have other lines, which have passed already.
    check.add([.advantage("read.a", 1), .cost("read.b", 1.9)])
    #expect(check.linesToRepeat == [])
    #expect(check.outside.map(\.ratios) == [[2.1, 2.2, 1.9]])
    #expect(check.isPassed)
    #expect(check.text().contains("≤ 2×  2.1×, 2.2×, 1.9×  inside at last"))
  }

  @Test func `a ratio that is not a number is outside`() {
    let check = check([.advantage("read.a", .nan), .cost("read.b", .nan)])
    #expect(check.linesToRepeat == ["read.a", "read.b"])
  }

  @Test func `a line without a threshold fails`() {
    let check = check([.advantage("read.a", 10), .cost("read.b", 2), .cost("read.c", 1)])
    #expect(check.withoutThreshold == ["read.c"])
    #expect(check.linesToRepeat == [])
    #expect(!check.isPassed)
    #expect(check.text().contains("no threshold: read.c. Record it"))
  }

  @Test func `a threshold without a line fails in a run of all benchmarks`() {
    let all = check([.advantage("read.a", 10)])
    #expect(all.withoutLine == ["read.b"])
    #expect(!all.isPassed)
    #expect(all.text().contains("no line of the run: read.b. If"))
    #expect(check([.advantage("read.a", 10)], of: .some).isPassed)
  }

  @Test func `a threshold in the other direction is none`() {
    let check = check([.cost("read.a", 10), .cost("read.b", 2)])
    #expect(check.withoutThreshold == ["read.a"])
    #expect(check.withoutLine == ["read.a"])
  }

  @Test func `lines without a ratio are named and pass`() {
    var alone = Line.cost("read.c", 1)
    alone.peer = Line.itself
    var unmeasured = Line.cost("read.b", 1)
    unmeasured.pairs = Pairs()
    let check = check([.advantage("read.a", 10), unmeasured, alone])
    #expect(check.compared == ["read.a"])
    #expect(check.withoutRatio == ["read.b", "read.c"])
    #expect(check.isPassed)
    #expect(check.text().hasSuffix("2 lines have no ratio, so no threshold: read.b, read.c."))
  }
}
