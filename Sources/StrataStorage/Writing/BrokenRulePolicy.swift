/// What opening does with data that breaks a unique index of this build.
public enum BrokenRulePolicy: String, Sendable, Codable, CaseIterable {
  /// Throws `.ruleBroken` with the entities, and leaves every byte as it was.
  case refuse
  /// Opens and lists the entities in the report.
  ///
  /// The keys that several entities have are not enforced until all but one of them have another key.
  /// All other keys are.
  case report
}
