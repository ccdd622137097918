import StrataBase

/// The migrations that bring a file up to date with a catalog, computed without access to the file.
package struct MigrationPlan: Hashable, Sendable {
  /// The migrations to run, in order; empty when the file is up to date.
  package let pending: [Migration]

  /// Compares the catalog of a build with the ledger of a file.
  ///
  /// O(migrations).
  ///
  /// - Throws: `.duplicate` or `.gap` for a catalog whose numbers do not follow each other; `.olderThanBuild` for a ledger
  ///   that starts before the catalog, `.newerThanBuild` for one with later versions; `.missingInLedger` for a ledger with
  ///   gaps; `.drifted` for a script that has changed since it ran.
  package init(
    catalog: MigrationCatalog,
    ledger: [MigrationLedger.Entry]
  ) throws(MigrationError) {
    try Self.checkOrder(of: catalog)
    let ran = ledger.inOrder { $0.version < $1.version }
    if let last = ran.last, last.version > catalog.latest {
      throw .newerThanBuild(found: last.version, known: catalog.latest)
    }
    if let first = ran.first, first.version < catalog.first {
      throw .olderThanBuild(found: first.version, first: catalog.first)
    }
    var expected = catalog.first
    for (entry, known) in zip(ran, catalog.migrations) {
      guard entry.version == expected else { throw .missingInLedger(version: expected) }
      guard entry.checksum == known.checksum else {
        throw .drifted(version: known.version, name: known.name)
      }
      expected += 1
    }
    pending = Array(catalog.migrations.dropFirst(ran.count))
  }

  private static func checkOrder(of catalog: MigrationCatalog) throws(MigrationError) {
    var expected = max(1, catalog.first)
    for migration in catalog.migrations {
      if migration.version < expected, migration.version > 0 {
        throw .duplicate(version: migration.version)
      }
      guard migration.version == expected else {
        throw .gap(expected: expected, found: migration.version)
      }
      expected += 1
    }
  }
}
