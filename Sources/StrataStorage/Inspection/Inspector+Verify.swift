import Foundation
import StrataBase
import StrataMigrations
import StrataRecords
import StrataSQLite

extension Inspector {
  /// Proves what the file holds: every page, every hash, every record, and that each snapshot is
  /// what the one before it and the deltas between them come to.
  ///
  /// O(file), several times over.
  ///
  /// Where a writer is at work, what it trims under the reading is no contradiction: then it is all
  /// read again, and SQLite's pages are not walked, which would hold the writer up.
  ///
  /// Throws only where the question could not be put, `.busy` where the writer trims faster than this
  /// can read; what is wrong with the file is in the answer.
  package func verify() throws(PersistenceError) -> Verification {
    do {
      for _ in 0..<5 {
        let (verification, view) = prove()
        guard access.mode == .live, !verification.isSound, let view,
          try ReadView(access.connection).wasTrimmed(since: view)
        else { return verification }
      }
    } catch {
      throw PersistenceError(.inspecting, path: path.file, wrapping: error)
    }
    throw PersistenceError(
      .inspecting,
      path: path.file,
      .busy("its writer trims faster than it can be verified")
    )
  }

  private func prove() -> (Verification, ReadView?) {
    var verification = Verification(path: path.file)
    verification.check("pages") { try provePages() }
    verification.check("schema") { try proveSchema() }
    let view: ReadView
    do {
      view = try ReadView(access.connection)
    } catch {
      verification.check("identity") { throw error }
      return (verification, nil)
    }
    verification.check("identity") { "store \(view.identity.id), epoch \(view.identity.epoch)" }
    for snapshot in view.verified.reversed() {
      verification.check("snapshot \(snapshot.header.revision)") { try prove(snapshot, view) }
    }
    verification.check("journal") { try proveJournal(view) }
    for (newer, older) in zip(view.anchors, view.anchors.dropFirst()) {
      verification.check("fold \(older.header.revision)…\(newer.header.revision)") {
        try proveFold(from: older, to: newer, view)
      }
    }
    verification.check("head") { try proveHead(view) }
    return (verification, view)
  }

  private func provePages() throws -> String {
    if access.mode == .live { return "not walked, as a writer is at work" }
    let problems = try access.connection.quickCheck()
    guard problems.isEmpty else { throw CorruptionError(problems.joined(separator: "; ")) }
    return "\(try access.connection.pageCount()) pages"
  }

  private func proveSchema() throws -> String {
    let plan = try Migrator(catalog: .file, now: { 0 }).plan(for: access.connection)
    guard plan.pending.isEmpty else { return "\(plan.pending.count) migrations pending" }
    return "format \(try access.connection.userVersion())"
  }

  private func prove(
    _ snapshot: StoredSnapshot,
    _ view: ReadView
  ) throws -> String {
    var cursor = try view.cursor(snapshot)
    var count = 0
    var last: EntityKey?
    while let entity = try cursor.next() {
      try prove(entity, view)
      guard last.map({ $0 < entity.key }) ?? true else {
        throw CorruptionError("its entities are not in order")
      }
      last = entity.key
      count += 1
    }
    guard count == snapshot.header.entities else {
      throw CorruptionError(
        "it has \(count) entities where its row says \(snapshot.header.entities)"
      )
    }
    return "\(count) entities"
  }

  private func prove(_ entity: StoredEntity, _ view: ReadView) throws {
    let layout = try view.catalog.layout(entity.layout)
    do {
      _ = try RecordValue(record: entity.record, layout: layout)
    } catch {
      throw CorruptionError(
        "the record \(EncodedID.text(of: entity.id)) of \(entity.table) cannot be read: \(error)"
      )
    }
  }

  /// Every delta from the oldest snapshot on that the journal reaches back to, and every record in it.
  private func proveJournal(_ view: ReadView) throws -> String {
    guard let oldest = view.anchors.last else {
      throw CorruptionError(
        "no snapshot reaches up to revision \(view.first ?? 1), where it begins"
      )
    }
    var replay = view.replay(after: oldest.header)
    var entities = 0
    while replay.revision < view.last.revision, let (header, parts) = try replay.next() {
      for part in parts { try prove(part, view) }
      let count = parts.reduce(0) { $0 + $1.entries.count }
      let bytes = parts.reduce(0) { $0 + $1.bytes.count }
      guard count == header.entities, bytes == header.bytes else {
        throw CorruptionError("the delta at revision \(header.revision) counts wrongly")
      }
      for snapshot in view.verified where snapshot.header.revision == replay.revision {
        guard snapshot.header.chain == replay.chain else {
          throw CorruptionError("the snapshot at revision \(replay.revision) is of another history")
        }
      }
      entities += count
    }
    guard replay.revision == view.last.revision, replay.chain == view.last.chain else {
      throw CorruptionError("the journal ends at \(replay.revision), before \(view.last.revision)")
    }
    return "\(replay.deltas) deltas, \(entities) changes, up to revision \(replay.revision)"
  }

  private func prove(_ part: ChangeBlock, _ view: ReadView) throws {
    for entry in part.entries {
      guard case .put(let layout, let record) = entry.change else { continue }
      try prove(
        StoredEntity(
          table: part.table(of: entry),
          id: part.id(of: entry),
          layout: layout,
          record: part.bytes[record]
        ),
        view
      )
    }
  }

  /// The law of folding: the older snapshot and the deltas up to the newer one are the newer one.
  private func proveFold(
    from older: StoredSnapshot,
    to newer: StoredSnapshot,
    _ view: ReadView
  ) throws -> String {
    var overlay = Overlay()
    var replay = view.replay(after: older.header)
    try replay.replay(into: &overlay, through: newer.header.revision)
    var folded = MergeIterator(try view.cursor(older), overlay)
    var stored = try view.cursor(newer)
    while true {
      let (expected, found) = (try folded.next(), try stored.next())
      guard expected == found else {
        let key = (expected ?? found)?.key
        throw CorruptionError(
          "they differ at \(key.map { "\($0.table) \(EncodedID.text(of: $0.id))" } ?? "the end")"
        )
      }
      if expected == nil { return "\(newer.header.entities) entities agree" }
    }
  }

  private func proveHead(_ view: ReadView) throws -> String {
    let position = Position(
      storeID: view.identity.id,
      epoch: view.identity.epoch,
      revision: view.last.revision,
      chain: view.last.chain
    )
    // A writer at work is ahead of what this view read; it has judged the head when it opened.
    if access.mode == .live { return "a writer is at work" }
    switch HeadCheck.compare(
      try HeadFile.read(path.head, on: access.disk),
      recovered: position,
      bootID: BootID.current()
    )
    {
    case .consistent: return "agrees"
    case .note(let note): return note
    case .damage(let detail): throw CorruptionError(detail)
    }
  }
}

extension Verification {
  fileprivate mutating func check(_ name: String, _ prove: () throws -> String) {
    do {
      checks.append(Check(name: name, passed: true, detail: try prove()))
    } catch {
      checks.append(Check(name: name, passed: false, detail: "\(error)"))
    }
  }
}
