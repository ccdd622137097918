/// An error of a product that stands on the core: `DataMigrationError` of `StrataMigrations`, `ArchiveError` of
/// `StrataArchive`.
///
/// The product has a property of ``PersistenceError/Reason`` that returns its error: `reason.dataMigration`,
/// `reason.archive`.
public struct FeatureError: Error, Sendable, Equatable, CustomStringConvertible {
  package let error: any FeatureErrorType

  package init(_ error: any FeatureErrorType) { self.error = error }

  /// What is wrong: starts in lower case, has no full stop.
  public var description: String { error.sentence }

  public static func == (a: FeatureError, b: FeatureError) -> Bool {
    func isEqual<E: FeatureErrorType>(_ error: E) -> Bool { error == b.error as? E }
    return isEqual(a.error)
  }
}

/// An error of a product, with what the core needs to know of it.
package protocol FeatureErrorType: Error, Sendable, Equatable {
  /// What is wrong: starts in lower case, has no full stop.
  var sentence: String { get }

  /// What to do about it, with the path of the store in the commands, if it is known.
  func remedy(at path: String?) -> String

  /// What a program can do about it.
  var kind: PersistenceError.Remedy { get }
}
