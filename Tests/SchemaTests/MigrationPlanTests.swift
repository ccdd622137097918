import StrataSchema
import Testing

@Suite struct MigrationPlanTests {
  private static let one = Migration(version: 1, name: "one", sql: "SELECT 1")
  private static let two = Migration(version: 2, name: "two", sql: "SELECT 2")
  private static let three = Migration(version: 3, name: "three", sql: "SELECT 3")
  private static let catalog = MigrationCatalog([one, two, three])

  @Test func `what has not run is pending`() throws {
    #expect(try plan([]).pending == [Self.one, Self.two, Self.three])
    #expect(try plan([entry(Self.one)]).pending == [Self.two, Self.three])
    #expect(try plan([entry(Self.two), entry(Self.one)]).pending == [Self.three])
    #expect(try plan(Self.catalog.migrations.map(entry)).pending == [])
    #expect(try MigrationPlan(catalog: MigrationCatalog([]), ledger: []).pending == [])
  }

  @Test func `a changed script is drift, whatever its name`() throws {
    let renamed = Migration(version: 1, name: "uno", sql: "SELECT 1 -- the same")
    #expect(try plan([entry(renamed)]).pending == [Self.two, Self.three])
    let changed = Migration(version: 2, name: "two", sql: "SELECT 22")
    #expect(throws: MigrationError.drifted(version: 2, name: "two")) {
      try plan([entry(Self.one), entry(changed)])
    }
  }

  @Test func `a ledger of a newer build is refused`() {
    let four = Migration(version: 4, name: "four", sql: "")
    #expect(throws: MigrationError.newerThanBuild(found: 4, known: 3)) {
      try plan([Self.one, Self.two, Self.three, four].map(entry))
    }
  }

  @Test func `a catalog may start with any number, and a ledger that starts before it is refused`()
    throws
  {
    let catalog = MigrationCatalog([Self.two, Self.three])
    #expect(try MigrationPlan(catalog: catalog, ledger: []).pending == [Self.two, Self.three])
    #expect(
      try MigrationPlan(catalog: catalog, ledger: [entry(Self.two)]).pending == [Self.three]
    )
    for ledger in [[Self.one], [Self.one, Self.two, Self.three]] {
      #expect(throws: MigrationError.olderThanBuild(found: 1, first: 2)) {
        try MigrationPlan(catalog: catalog, ledger: ledger.map(entry))
      }
    }
  }

  @Test func `a ledger with a hole is refused`() {
    #expect(throws: MigrationError.missingInLedger(version: 1)) { try plan([entry(Self.two)]) }
    #expect(throws: MigrationError.missingInLedger(version: 2)) {
      try plan([entry(Self.one), entry(Self.three)])
    }
  }

  @Test func `a catalogue that is not numbered in order is refused`() {
    func check(_ migrations: [Migration]) throws {
      _ = try MigrationPlan(catalog: MigrationCatalog(migrations), ledger: [])
    }
    #expect(throws: MigrationError.duplicate(version: 1)) { try check([Self.one, Self.one]) }
    #expect(throws: MigrationError.duplicate(version: 1)) {
      try check([Self.one, Self.two, Self.one])
    }
    #expect(throws: MigrationError.gap(expected: 2, found: 3)) {
      try check([Self.one, Self.three])
    }
    #expect(throws: MigrationError.gap(expected: 1, found: 0)) {
      try check([Migration(version: 0, name: "", sql: "")])
    }
  }

  private func plan(_ ledger: [MigrationLedger.Entry]) throws(MigrationError) -> MigrationPlan {
    try MigrationPlan(catalog: Self.catalog, ledger: ledger)
  }

  private func entry(_ migration: Migration) -> MigrationLedger.Entry {
    MigrationLedger.Entry(
      version: migration.version,
      name: migration.name,
      checksum: migration.checksum,
      applied: 0,
      duration: 0
    )
  }
}
