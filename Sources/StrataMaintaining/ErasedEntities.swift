import StrataBase
import StrataInspection
package import StrataJournal
import StrataRecords

/// Entities that are to be erased.
package struct ErasedEntities: Sendable {
  /// One of them, by the encoded IDs that a person or a program may mean.
  package struct Entity: Sendable {
    package let table: String
    /// Its ID as text.
    package let id: String
    package let candidates: [[UInt8]]
    /// Whether ``id`` is what a person has written.
    let isText: Bool

    /// The entity that a person means by an ID.
    package init(table: String, meantBy id: String) {
      self.table = table
      self.id = id
      candidates = EncodedID.candidates(for: id)
      isText = true
    }

    /// The same with the ID that a file has; it is looked up by the text.
    fileprivate init(_ entity: Entity, in view: ReadView) throws {
      (table, id, isText) = (entity.table, entity.id, entity.isText)
      candidates = isText ? try view.ids(meantBy: id, in: table) : entity.candidates
    }

    /// The entity with an encoded ID.
    package init(table: String, encodedID: [UInt8]) {
      self.table = table
      id = EncodedID.text(of: encodedID[...])
      candidates = [encodedID]
      isText = false
    }
  }

  package let entities: [Entity]
  private let keys: [String: Set<[UInt8]>]

  package init(_ entities: [Entity]) {
    self.entities = entities
    var keys: [String: Set<[UInt8]>] = [:]
    for entity in entities { keys[entity.table, default: []].formUnion(entity.candidates) }
    self.keys = keys
  }

  /// The same entities by the IDs that a file has, and those that have got another ID or table since.
  ///
  /// - Throws: `.ambiguous`.
  package func known(in view: ReadView, _ moves: EntityMoves) throws -> ErasedEntities {
    let known = ErasedEntities(try entities.map { try Entity($0, in: view) })
    let moved = try known.all.compactMap { key -> Entity? in
      guard let move = moves.lastMove(of: key),
        try !view.hasAnother(key, since: move.revision)
      else { return nil }
      let now = moves.key(of: move.key, at: move.revision)
      return Entity(table: now.table, encodedID: Array(now.id))
    }
    return moved.isEmpty ? known : ErasedEntities(known.entities + moved)
  }

  /// The entities by the keys that they had at each revision, the first first.
  package func spans(_ moves: EntityMoves) -> [(start: Revision, entities: ErasedEntities)] {
    moves.spans(of: Set(all)).map { start, keys in
      (
        start,
        ErasedEntities(keys.map { Entity(table: $0.table, encodedID: Array($0.id)) })
      )
    }
  }

  package var tables: Set<String> { Set(keys.keys) }

  package func contains(_ table: String, _ id: ArraySlice<UInt8>) -> Bool {
    guard let ids = keys[table] else { return false }
    return ids.contains(Array(id))
  }

  package func ids(in table: String) -> Set<[UInt8]> { keys[table] ?? [] }

  /// All keys.
  package var all: [EntityKey] {
    keys.flatMap { table, ids in ids.map { EntityKey(table: table, id: $0[...]) } }
  }
}

extension ReadView {
  /// Whether a commit has given a key to another entity, with the move at a revision or after it.
  fileprivate func hasAnother(_ key: EntityKey, since move: Revision) throws -> Bool {
    if move <= oldest {
      var scan = try state(at: oldest, scope: .entities([key])).scan(
        key.table,
        .ids([Array(key.id)])
      )
      if try scan.next() != nil { return true }
    }
    var changes = try changes(after: max(move.previous, oldest))
    while let (_, blocks) = try changes.next(changing: .entities([key]), through: last.revision) {
      let isPut = blocks.contains { block in
        block.entries.contains { $0.change != .remove && block.key(of: $0) == key }
      }
      if isPut { return true }
    }
    return false
  }

  /// Whether the file has a version or a removal of one of the entities.
  package func mentions(_ entities: ErasedEntities) throws -> Bool {
    for snapshot in verified {
      var cursor = try cursor(snapshot, .entities(entities.all))
      while let block = try cursor.nextBlock() {
        if block.mentions(entities) { return true }
      }
    }
    var revision: Revision = 0
    while true {
      let deltas = try journal.deltas(after: revision, upTo: 1 << 20)
      guard let last = deltas.last else { return false }
      for delta in deltas {
        for number in 0..<delta.header.blocks {
          let body =
            number == 0 ? delta.body : try journal.block(number, of: delta.header.revision)
          let place = "block \(number) of delta \(delta.header.revision)"
          guard let body else { throw CorruptionError("\(place) is missing") }
          if try ChangeBlock(body, of: place).mentions(entities) { return true }
        }
      }
      revision = last.header.revision
    }
  }
}

extension ChangeBlock {
  fileprivate func mentions(_ entities: ErasedEntities) -> Bool {
    guard !entities.tables.isDisjoint(with: tables) else { return false }
    return self.entries.contains { entities.contains(table(of: $0), id(of: $0)) }
  }
}
