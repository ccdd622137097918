import StrataCLI
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
}
