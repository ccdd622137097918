/// What opening does with a file that cannot be restored whole.
///
/// | | a record this build cannot read | damage | writes |
/// | --- | --- | --- | --- |
/// | `.strict` | throws | throws, every byte stays | yes |
/// | `.bestEffort` | is left out and kept | restores what can be proved, sets the file aside | yes |
/// | `.readOnly` | throws | throws | never |
///
/// A broken snapshot is no damage to any of them as long as an older one and an unbroken run of
/// deltas make up for it: that costs a note in the report.
public enum RestorePolicy: String, Sendable, Codable, CaseIterable {
  /// Restores all, or throws and leaves every byte as it was.
  case strict
  /// Restores what can be proved, and says in the report what is missing.
  ///
  /// Records that the entity type of this build cannot read are left out of the state and carried in
  /// the file, byte for byte, until their ID is put or removed.
  ///
  /// A damaged file is never written to: what of it can be proved is copied into a new file, in a new
  /// epoch; then the damaged files are set aside together (``Quarantine``) and the new one takes the
  /// name. Where nothing can be proved it throws, as `.strict` does.
  case bestEffort
  /// Restores a value and writes nothing, whether a writer is at work or not.
  ///
  /// Commits that change the database are refused. What a writer does after the opening is not seen:
  /// open again.
  case readOnly
}
