package import StrataArchive
package import StrataMigrations
package import StrataStorage

extension [any OpeningStep] {
  /// The steps of an opening whose caller may have no list of migrations, which something else runs then, and no archive.
  package static func opening(
    migrations: [DataMigration]?,
    archive: (any Archive)?,
    _ policy: ArchivePolicy = ArchivePolicy()
  ) -> [any OpeningStep] {
    let archive = archive.map { [.archive($0, policy: policy)] as [any OpeningStep] } ?? []
    return archive + [migrations.map { .migrations($0) } ?? .migrations(.external)]
  }
}
