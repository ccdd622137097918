import Foundation
import Strata
import StrataBase
import StrataJournal
import TestSupport
import Testing

@Suite struct MeasuresTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_049, "1.0 kB"),
    (1_050, "1.1 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_234_567_890, "1.2 GB"),
    (5_000_000_000_000, "5.0 TB"),
  ])
  func `sizes have one digit after the point`(bytes: Int, text: String) {
    #expect(Measures.size(bytes) == text)
  }

  @Test(arguments: [257_717, 581_271, 0, 999_999, 1, 100_000] as [Int64])
  func `the microseconds of a file are printed as they are`(microseconds: Int64) {
    let date = Date(microseconds: 1_770_000_000_000_000 + microseconds)
    var digits = "\(1_000_000 + microseconds)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    let fraction = digits.isEmpty ? "" : "." + digits
    #expect(Measures.exactTime(date) == "2026-02-02T02:40:00\(fraction)Z")
  }

  @Test func `times are printed as Foundation prints them`() {
    let style = Date.ISO8601FormatStyle(
      dateTimeSeparator: .space,
      includingFractionalSeconds: true,
      timeZone: .gmt
    )
    var times: [Int64] = [0, -1, 1, 978_307_199_999_999, 253_402_300_799_999_999, .min, .max]
    times.append(253_402_300_800_000_000)
    var generator = SeededGenerator(seed: 17)
    for _ in 0..<5_000 {
      times.append(.random(in: 0...4_000_000_000_000_000, using: &generator))
      times.append(.random(in: 0...4_000_000_000_000, using: &generator) * 1_000)
      times.append(
        .random(in: -60_000_000_000_000_000...300_000_000_000_000_000, using: &generator)
      )
    }
    let dates = times.map { Date(microseconds: $0) }
    let different = dates.filter { Measures.time($0) != $0.formatted(style) }
    #expect(different == [])
  }
}
