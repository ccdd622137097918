import StrataCLI
import Testing

/// What `strata archive status` says of clocks.
struct ArchiveTextTests {
  @Test func `a clock of the archive that is another one is named`() {
    #expect(
      ArchiveText.clock(ahead: 3_600) == "clock     of the archive, 3600 s ahead of this machine's"
    )
    #expect(ArchiveText.clock(ahead: -90) == "clock     of the archive, 90 s behind this machine's")
    #expect(ArchiveText.clock(ahead: 2) == nil)
  }
}
