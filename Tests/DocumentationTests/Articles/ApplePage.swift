import Foundation
import Observation
import Strata
import Testing

/// The page "On Apple's platforms", of which Apple's compiler alone sees what needs UIKit or SwiftUI.
struct ApplePageTests {
  struct Note: EntityType {
    static let tableName: TableName = "notes"
    let id: EntityID<Note>
    var text: String
  }

  struct Database: DatabaseType {
    var notes = EntityTable<Note>()
    static let schema = DatabaseSchema<Database> { Entities(\.notes) }
  }

  struct AppState: RuledStateType {
    var db = Database()
  }

  typealias AppStore = Store<AppState, Never>
  typealias AppPersistence = Persistence<AppState, Database>

  static func folder() throws -> URL {
    let support = try FileManager.default.url(
      for: .applicationSupportDirectory,
      in: .userDomainMask,
      appropriateFor: nil,
      create: true
    )
    var folder = support.appending(path: "Notes", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try folder.setResourceValues(values)
    return folder
  }

  #if canImport(Darwin)
    static func groupFolder() throws -> URL {
      guard
        let group = FileManager.default.containerURL(
          forSecurityApplicationGroupIdentifier: "group.com.example.notes"
        )
      else { throw CocoaError(.fileNoSuchFile) }
      let folder = group.appending(path: "Notes", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return folder
    }
  #endif

  static func open(in folder: URL) async throws -> AppPersistence {
    try await Persistence.open(
      at: folder.appending(path: "notes.strata").path(percentEncoded: false),
      initialState: AppState(),
      database: \.db
    )
  }

  @MainActor
  final class StoreLife {
    private let persistence: AppPersistence
    private var last: Task<Void, any Error>?

    init(_ persistence: AppPersistence) { self.persistence = persistence }

    /// Writes everything.
    func flush() async throws { try await next { persistence in try await persistence.flush() } }

    /// Writes everything and releases the file, for a folder that is shared with an extension.
    func suspend() async throws {
      try await next { persistence in try await persistence.suspend() }
    }

    /// Takes the file again.
    func resume() async throws { try await next { persistence in try await persistence.resume() } }

    /// One after the other, in the order of the calls.
    private func next(
      _ step: @escaping @Sendable (AppPersistence) async throws -> Void
    ) async throws {
      let task = Task { [last, persistence] in
        _ = await last?.result
        try await step(persistence)
      }
      last = task
      try await task.value
    }
  }

  static func share(_ text: String, into inbox: URL) throws {
    try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
    let file = inbox.appending(path: UUID().uuidString)
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  static func takeIn(
    _ inbox: URL,
    _ store: AppStore,
    _ persistence: AppPersistence
  ) async throws {
    try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(
      at: inbox,
      includingPropertiesForKeys: nil,
      options: .skipsHiddenFiles
    )
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      let note = Note(id: Note.ID(file.lastPathComponent), text: text)
      try store.commit("shared") { $0.db.notes.insert(note) }
    }
    try await persistence.flush()
    for file in files { try FileManager.default.removeItem(at: file) }
  }

  static func notesOfWidget(in folder: URL) async throws -> [Note] {
    var configuration = PersistenceConfiguration()
    configuration.restore = .readOnly
    let persistence = try await AppPersistence.open(
      at: folder.appending(path: "notes.strata").path(percentEncoded: false),
      initialState: AppState(),
      database: \.db,
      configuration: configuration
    )
    let notes = Array(persistence.initialState.db.notes.prefix(3))
    try await persistence.close()
    return notes
  }

  static func saveCopy(of persistence: AppPersistence, in documents: URL) async throws {
    let copy = documents.appending(path: "notes-backup.strata")
    let next = documents.appending(path: "notes-backup.next")
    if FileManager.default.fileExists(atPath: next.path) {
      try FileManager.default.removeItem(at: next)
    }
    try await persistence.backup(to: next.path(percentEncoded: false))
    if FileManager.default.fileExists(atPath: copy.path) {
      try FileManager.default.removeItem(at: copy)
    }
    try FileManager.default.moveItem(at: next, to: copy)
  }

  static func useCopy(in documents: URL, for folder: URL) async throws {
    let copy = documents.appending(path: "notes-backup.strata")
    let store = folder.appending(path: "notes.strata")
    if !FileManager.default.fileExists(atPath: store.path),
      FileManager.default.fileExists(atPath: copy.path)
    {
      try FileManager.default.copyItem(at: copy, to: store)
    }
  }

  @MainActor
  final class NotesModel: Observable {
    private let store: AppStore
    private let notes: Observed<[Note]>

    init(store: AppStore) {
      self.store = store
      notes = store.derived(.map(\.db.notes)).chain(.map { $0.sorted(by: \.text) }).observed()
    }

    var texts: [String] { notes.value.map(\.text) }

    static func preview() throws -> NotesModel {
      var state = AppState()
      state.db.notes.insert(Note(id: "1", text: "Buy milk"))
      return NotesModel(store: try AppStore(InMemory(initialState: state, database: \.db)))
    }
  }
}

extension ApplePageTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func `a suspended app leaves its file to a widget, and goes on`() async throws {
    try await withFolder { folder in
      let persistence = try await Self.open(in: folder)
      let store = AppStore(persistence)
      let life = await StoreLife(persistence)
      try store.commit("add") { $0.db.notes.insert(Note(id: "1", text: "milk")) }
      try await life.suspend()
      #expect(try await Self.notesOfWidget(in: folder).map(\.text) == ["milk"])
      try store.commit("add") { $0.db.notes.insert(Note(id: "2", text: "bread")) }
      try await life.resume()
      // As a scene that becomes active without having been in the background.
      try await life.resume()
      try await life.flush()
      #expect(try await Self.notesOfWidget(in: folder).count == 2)
      try await persistence.close()
    }
  }

  @Test func `what an extension shares is taken in once`() async throws {
    try await withFolder { folder in
      let persistence = try await Self.open(in: folder)
      let store = AppStore(persistence)
      let inbox = folder.appending(path: "Inbox")
      // Nothing was shared yet; then a file is still being written.
      try await Self.takeIn(inbox, store, persistence)
      try Data().write(to: inbox.appending(path: ".unfinished"))
      try Self.share("milk", into: inbox)
      try await Self.takeIn(inbox, store, persistence)
      try await Self.takeIn(inbox, store, persistence)
      #expect(store.state.db.notes.map(\.text) == ["milk"])
      try await persistence.close()
    }
  }

  @Test func `an app whose file an extension has gone on with hears of it, and opens it again`()
    async throws
  {
    try await withFolder { folder in
      let persistence = try await Self.open(in: folder)
      let life = await StoreLife(persistence)
      try await life.suspend()
      let other = try await Self.open(in: folder)
      try AppStore(other).commit { $0.db.notes.insert(Note(id: "1", text: "milk")) }
      try await other.close()
      let error = await #expect(throws: PersistenceError.self) { try await life.resume() }
      #expect(error?.kind == .otherStore)
      try await persistence.close()
      let again = try await Self.open(in: folder)
      #expect(again.initialState.db.notes.map(\.text) == ["milk"])
      try await again.close()
    }
  }

  @Test func `a widget that comes before the app says that there is no file`() async throws {
    try await withFolder { folder in
      let error = await #expect(throws: PersistenceError.self) {
        try await Self.notesOfWidget(in: folder)
      }
      #expect(error?.kind == .notThere)
    }
  }

  @Test func `another device starts with the copy`() async throws {
    try await withFolder { folder in
      let other = folder.appending(path: "other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      let persistence = try await Self.open(in: folder)
      try AppStore(persistence).commit { $0.db.notes.insert(Note(id: "1", text: "milk")) }
      try await Self.saveCopy(of: persistence, in: folder)
      try await Self.saveCopy(of: persistence, in: folder)
      try await persistence.close()
      try await Self.useCopy(in: folder, for: other)
      try await Self.useCopy(in: folder, for: other)
      let restored = try await Self.open(in: other)
      #expect(restored.initialState.db.notes["1"]?.text == "milk")
      try await restored.close()
    }
  }

  @MainActor @Test func `a preview has its data`() throws {
    #expect(try NotesModel.preview().texts == ["Buy milk"])
  }
}

#if canImport(UIKit) && canImport(SwiftUI) && !os(watchOS)
  import SwiftUI
  import UIKit

  /// Time that the system grants to finish what a person no longer sees.
  @MainActor
  private final class BackgroundTime {
    private var id = UIBackgroundTaskIdentifier.invalid

    init(_ name: String) {
      id = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in self?.end() }
    }

    func end() {
      UIApplication.shared.endBackgroundTask(id)
      id = .invalid
    }
  }

  private struct NotesScene: Scene {
    @Environment(\.scenePhase) private var phase
    let life: ApplePageTests.StoreLife
    let model: ApplePageTests.NotesModel

    var body: some Scene {
      WindowGroup { List(model.texts, id: \.self) { Text($0) } }
        .onChange(of: phase) { _, phase in
          switch phase {
          case .background:
            let time = BackgroundTime("write notes")
            Task {
              do { try await life.flush() } catch { print(error) }
              time.end()
            }
          default: break
          }
        }
    }
  }
#endif
