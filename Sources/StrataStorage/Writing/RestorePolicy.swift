/// What opening does with a file that cannot be restored completely.
///
/// | | a record this build cannot read | damage | writes |
/// | --- | --- | --- | --- |
/// | `.strict` | throws | throws, every byte stays | yes |
/// | `.bestEffort` | is left out and kept | restores what can be verified, quarantines the file | yes |
/// | `.readOnly` | throws | throws | never |
///
/// A damaged snapshot only adds a note to the report, under any policy, as long as the file has an older
/// one and all deltas after it.
public enum RestorePolicy: String, Sendable, Codable, CaseIterable {
  /// Restores everything, or throws and leaves every byte as it was.
  case strict
  /// Restores what can be verified, and lists in the report what is missing.
  ///
  /// Records that the entity type of this build cannot read are left out of the state and carried in
  /// the file, byte for byte, until their ID is put or removed.
  ///
  /// A damaged file is never written to. What can be verified of it is copied into a new file, in a new
  /// epoch; then the damaged files are moved into a ``Quarantine`` together and the new file takes their
  /// name. If nothing can be verified, it throws as `.strict` does.
  case bestEffort
  /// Restores a value and writes nothing, whether or not a writer is at work.
  ///
  /// Commits that change the database are refused. To see what a writer commits after the opening, open
  /// the file again.
  case readOnly
}
