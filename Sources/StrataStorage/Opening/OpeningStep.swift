package import StrataJournal
package import StrataSQLite

/// A part of an opening that another product brings.
///
/// ```swift
/// import StrataMigrations
///
/// let persistence = try await Persistence.open(
///   at: "app.strata", initialState: AppState(), database: \.db,
///   with: [.migrations([addTitle, splitNames])])
/// ```
///
/// `StrataMigrations` has `.migrations(_:)`, `StrataArchive` has `.archive(_:)`. The order of the steps does not matter, and
/// an opening has at most one of each. Only the products of Strata have steps: a type of a program that conforms traps.
public protocol OpeningStep: Sendable {}

/// A step that a product of this package brings.
package protocol ProductStep: OpeningStep {}

/// What a file goes through when it is opened, before its contents are read: the migrations of its data.
///
/// The storage does not know them. An opening calls these functions while it holds the writer's lock, and only those that
/// take a connection or a view if it only reads.
package protocol FilePreparation: ProductStep {
  /// The migrations of the data that the program knows; it writes only to a file on which no others ran.
  var known: KnownMigrations { get }

  /// Whether there is something that may change a file.
  var isNeeded: Bool { get }

  /// Changes the file if it has to be changed for this build.
  ///
  /// Returns nil if there was nothing to do; then only the ledger was read.
  ///
  /// - Parameter read: Reads the result before it takes effect; if it throws, the file stays as it was. It is called
  ///   at most once, with the view of the result.
  func prepare(
    _ store: OwnedStore,
    reading read: (any EntitySource, ReadView) throws -> Void
  ) throws -> PreparedFile?

  /// Checks that nothing has to be changed for this build.
  func check(_ connection: Connection) throws

  /// The names of what has to be changed for this build.
  func pending(in connection: Connection) throws -> [String]

  /// Notes in a new store the changes that it does not need: it was made in the newest shape.
  ///
  /// - Parameters:
  ///   - time: in microseconds.
  ///   - layout: the last layout of the store.
  func note(inNew connection: Connection, time: Int64, layout: Int64) throws
}

/// A file that was changed before it was read.
package struct PreparedFile: Sendable {
  /// The last revision of the changes.
  package let end: Revision
  /// What was done.
  package let report: any ReportPart

  package init(end: Revision, report: any ReportPart) {
    (self.end, self.report) = (end, report)
  }
}

/// What runs beside a writer and follows what it writes: the sender to an archive.
///
/// The opening that brings it has started it. `Persistence` tells it what happens to the file.
package protocol JournalCompanion: AnyObject, Sendable {
  /// The file must not be touched until ``resume(isRewritten:)``.
  func suspend(_ reason: PersistenceError.Reason) async

  /// The file can be read again.
  ///
  /// - Parameter isRewritten: whether its history is another one now.
  func resume(isRewritten: Bool) async

  /// The file is about to be closed, with everything written; returns within a limit of its own.
  func stop() async

  /// The persistence was released.
  func cancel()

  /// Returns once it has a revision, or throws after `limit`.
  func reach(_ revision: Revision, within limit: Duration?) async throws(PersistenceError)

  /// Adds how it is to the status of the file.
  func add(to status: inout PersistenceStatus)
}
