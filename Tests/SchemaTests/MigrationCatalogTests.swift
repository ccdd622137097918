import Foundation
import StrataSchema
import Testing

@Suite struct MigrationCatalogTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Migrations/Schema")

  @Test func `the catalogue lists the files of the folder, in order and whole`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    let files = try names.map { name in
      Listed(
        name: name,
        sql: try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
      )
    }
    let listed = MigrationCatalog.file.migrations.map { migration in
      let digits = String(migration.version)
      let number = String(repeating: "0", count: 3 - digits.count) + digits
      let words = migration.name.split(separator: " ").joined(separator: "_")
      return Listed(name: "V\(number)_\(words).sql", sql: migration.sql)
    }
    #expect(listed == files)
  }

  @Test func `the catalogue is in order`() throws {
    let plan = try MigrationPlan(catalog: .file, ledger: [])
    #expect(plan.pending == MigrationCatalog.file.migrations)
  }

  @Test func `a migration that has landed does not change`() {
    let checksums = MigrationCatalog.file.migrations.map { "\($0.version) \($0.checksum)" }
    #expect(
      checksums == ["3 d0414b097c1f3f9bc1466fb86dea99c2"]
    )
  }

  private struct Listed: Equatable {
    let name: String
    let sql: String
  }
}
