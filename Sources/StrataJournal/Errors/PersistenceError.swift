/// What went wrong with the file of a store, and what to do about it.
///
/// A program reads ``kind`` and ``remedy``, a person the text. The file is unchanged, unless the error says otherwise.
public struct PersistenceError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What the library was doing.
  package var operation: Operation { content.operation }
  /// The file of the store.
  public var path: String { content.path }
  package var reason: Reason { content.reason }

  private let content: Content

  /// An error is passed on much more often than it is read, so a copy of it is a copy of one reference.
  private final class Content: Sendable, Equatable {
    let operation: Operation
    let path: String
    let reason: Reason

    init(operation: Operation, path: String, reason: Reason) {
      self.operation = operation
      self.path = path
      self.reason = reason
    }

    static func == (a: Content, b: Content) -> Bool {
      a.operation == b.operation && a.path == b.path && a.reason == b.reason
    }
  }

  package init(_ operation: Operation, path: String, _ reason: Reason) {
    content = Content(operation: operation, path: path, reason: reason)
  }

  /// A sentence with the path and what went wrong, followed by the remedy.
  public var description: String { "\(path): \(reason.sentence.withFullStop) \(advice)" }

  private var advice: String {
    switch (operation, reason) {
    case (.inspecting, .io):
      "Check the disk, and that this user may read here. Nothing was changed."
    case (.opening, .io): "Check the disk and the path. The store is not open."
    case (.opening, .diskFull): "Free some space. The store is not open."
    case (.inspecting, .diskFull): "Free some space. Nothing was changed."
    case (.archiving, .diskFull), (.snapshotting, .diskFull), (.compacting, .diskFull),
      (.quarantining, .diskFull):
      "Free some space, and try again."
    case (.archiving, .io), (.snapshotting, .io), (.compacting, .io), (.quarantining, .io):
      "Check the disk, and try again."
    case (_, .diskFull) where operation.isWhole: "Free some space. Nothing was changed."
    case (_, .io) where operation.isWhole: "Check the disk. Nothing was changed."
    default: reason.remedy(at: path)
    }
  }
}

/// An error of a product that stands on the core, with what the core needs to know of it: `DataMigrationError` of
/// `StrataMigrations`, `ArchiveError` of `StrataArchive`.
package protocol FeatureError: Error, Sendable, Equatable {
  /// What is wrong: starts in lower case, has no full stop.
  var sentence: String { get }

  /// What to do about it, with the path of the store in the commands, if it is known.
  func remedy(at path: String?) -> String

  /// What a ``PersistenceError`` with it is.
  var kind: PersistenceError.Kind { get }

  /// What a program can do about it.
  var programRemedy: PersistenceError.Remedy { get }
}

extension PersistenceError {
  /// The error of a product that is in it; nil if it is none of this type.
  package func feature<E: FeatureError>(_ type: E.Type = E.self) -> E? { reason.feature(type) }
}

extension PersistenceError.Reason {
  /// The error of a product that is in it; nil if it is none of this type.
  package func feature<E: FeatureError>(_ type: E.Type = E.self) -> E? {
    if case .feature(let error) = self { error as? E } else { nil }
  }

  /// Whether both say the same.
  package static func == (a: Self, b: Self) -> Bool {
    a.sentence == b.sentence && a.remedy == b.remedy
  }
}
