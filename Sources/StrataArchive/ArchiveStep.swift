@_exported public import StrataArchiving
import StrataCore
import StrataEntityStore
package import StrataJournal
import StrataNormalization
@_exported public import StrataPersistence
public import StrataStorage

/// The step of an opening that leads an archive and sends every commit there.
public struct ArchiveStep: CompanionStep {
  let archive: any Archive
  var policy: ArchivePolicy

  @usableFromInline
  init(_ archive: any Archive, _ policy: ArchivePolicy) {
    (self.archive, self.policy) = (archive, policy)
  }

  package func open<State, Database>(
    _ opening: StoreOpening<State, Database>,
    at path: String
  ) async throws(PersistenceError) -> Persistence<State, Database> {
    let archived = try await ArchiveOpening(
      of: try StorePath(path, for: .opening),
      in: archive,
      policy,
      opening.configuration
    )
    return try await Persistence.open(opening, at: path, with: archived)
  }
}

extension OpeningStep where Self == ArchiveStep {
  /// Keeps the store in an archive, too: this process leads it from here on, and every commit is sent there.
  ///
  /// ```swift
  /// let persistence = try await Persistence.open(
  ///   at: "app.strata", initialState: AppState(), database: \.db,
  ///   with: [.archive(FolderArchive("/mnt/backup/app"))])
  /// ```
  ///
  /// A file that is not here comes from the archive, and so do commits that this file lacks; what was done is in
  /// `RestoreReport.archive`. See <doc:BeyondOneMachine>. An opening for reading only does nothing with it.
  public static func archive(
    _ archive: any Archive,
    policy: ArchivePolicy = ArchivePolicy()
  ) -> ArchiveStep {
    ArchiveStep(archive, policy)
  }
}

extension Persistence {
  /// Opens a file that has the history of its archive.
  ///
  /// - Parameter loss: What was lost of a damaged file in whose place the archive's history came.
  fileprivate static func open(
    _ opening: StoreOpening<State, Database>,
    at path: String,
    with archived: ArchiveOpening,
    replacing loss: RestoreLoss? = nil
  ) async throws(PersistenceError) -> Persistence {
    var archived = archived
    let (database, writer) = try opening.prepare(at: path)
    let shipper = ArchiveShipper(of: writer, continuing: archived)
    var opened: DatabaseOpening<Database>.Opened
    do throws(PersistenceError) {
      switch try await restore(database, writer, beside: archived, isFirst: loss == nil) {
      case .whole(let whole): opened = whole
      case .lost(let lost):
        try await archived.replaceDamagedFile()
        await shipper.stop(within: .zero, keepingLead: true)
        return try await open(opening, at: path, with: archived, replacing: lost)
      }
    } catch {
      await shipper.stop(within: .zero)
      throw error
    }
    opened.report.note(loss, replacedThrough: archived.mark)
    opened.report.archive = archived.report
    opened.report.notes += archived.noteReported()
    let persistence = Persistence(opening, opened, writer, shipper)
    await shipper.start()
    return persistence
  }

  private enum Restored {
    case whole(DatabaseOpening<Database>.Opened)
    /// What a damaged file has lost, which is closed again: the archive has all that is left of it.
    case lost(RestoreLoss)
  }

  /// Opens a file beside its archive.
  ///
  /// Where the archive has a history, or cannot be reached, a damaged file is not restored without some of its entities:
  /// such a state is none of the history, and would be sent as if it were.
  ///
  /// - Parameter isFirst: whether the file is not the archive's, which would be no better the second time.
  private static func restore(
    _ database: DatabaseOpening<Database>,
    _ writer: JournalWriter,
    beside archived: ArchiveOpening,
    isFirst: Bool
  ) async throws(PersistenceError) -> Restored {
    let opened: DatabaseOpening<Database>.Opened
    do throws(PersistenceError) {
      opened = try await database.open(writer, restoresParts: !archived.mayHaveHistory)
    } catch {
      guard isFirst, archived.hasHistory, writer.configuration.restore == .bestEffort,
        let damage = error.reason.damage
      else { throw error }
      return .lost(
        try RestoreLoss(ofAll: writer.path, damage: damage, on: writer.configuration.disk)
      )
    }
    guard isFirst, let lost = opened.report.loss, lost.damage != nil,
      archived.has(opened.report.position)
    else { return .whole(opened) }
    try await writer.close()
    return .lost(lost)
  }
}
