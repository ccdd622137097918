import Foundation
import StrataJournal
import StrataNormalization
import StrataRecords
import StrataStorage

/// Makes the decoders of the tables that a decoding wants: one set for each thread.
struct TableDecoders<Database: DatabaseType>: Sendable {
  let tables: [any SchemaTable<Database>]
  let known: Set<String>?
  let store: UUID
  let policy: StoragePolicy
  let unknownFields: UnknownFieldsPolicy

  func make() throws -> [String: any TableDecoding] {
    var decoders: [String: any TableDecoding] = [:]
    for value in policy.values.tables {
      decoders[value.table.text] = value.makeDecoder(of: store, policy, unknownFields)
    }
    for table in tables where known?.contains(table.name.text) ?? true {
      decoders[table.name.text] = try table.makeDecoder(of: store, policy, unknownFields)
    }
    return decoders
  }
}

/// What was decoded of a part of a merge.
struct DecodedPart {
  var tables: [String: Any] = [:]
  /// How many entities were decoded, not counting values.
  var count = 0
  /// How many entities were read, for the progress.
  var read = 0
  /// The records that were left out, in order.
  var skipped: [RestoreLoss.Undecodable] = []
  /// What ended the decoding.
  var failure: (any Error)?
}

/// Decodes parts of a merge on one thread.
final class PartDecoder {
  private let decoders: Result<[String: any TableDecoding], any Error>
  private let catalog: LayoutCatalog
  private let failures: DecodingFailures
  private let restore: RestorePolicy

  init<Database>(
    _ decoders: TableDecoders<Database>,
    _ catalog: LayoutCatalog,
    _ failures: DecodingFailures,
    _ restore: RestorePolicy
  ) {
    self.decoders = Result { try decoders.make() }
    self.catalog = catalog
    self.failures = failures
    self.restore = restore
  }

  /// Decodes a part, or only verifies it.
  func decode(_ part: MergePart, _ extent: Extent) -> DecodedPart {
    var decoded = DecodedPart()
    var used: [String: any TableDecoding] = [:]
    do {
      let decoders = try decoders.get()
      // Entities of one table mostly come one after another.
      var current: (table: String, decoder: (any TableDecoding)?)?
      try part.read { block, entries in
        guard extent == .all, decoded.failure == nil, let first = entries.first else { return }
        decoded.read += entries.count
        let table = block.tables[block.entries[first].table]
        if current?.table != table {
          current = (table, decoders[table])
          current?.decoder?.reserve(entries.count)
          used[table] = current?.decoder
        }
        guard let decoder = current?.decoder else { return }
        do {
          try decode(block, entries, table, decoder, &decoded)
        } catch {
          decoded.failure = error
        }
      }
    } catch {
      decoded.failure = error
    }
    let tables = used.mapValues { $0.take() }
    if decoded.failure == nil { decoded.tables = tables }
    return decoded
  }

  enum Extent {
    case all, verification
  }

  private func decode(
    _ block: ChangeBlock,
    _ entries: Range<Int>,
    _ table: String,
    _ decoder: any TableDecoding,
    _ decoded: inout DecodedPart
  ) throws {
    let isValue = StoredValues.name(ofTable: table) != nil
    for index in entries {
      let entry = block.entries[index]
      guard case .put(let layout, let record) = entry.change else { continue }
      do {
        try decoder.put(block.bytes[record], of: block.id(of: entry), layout, catalog)
        if !isValue { decoded.count += 1 }
      } catch {
        let failure = failures.error(error, table, block.id(of: entry))
        guard restore == .bestEffort, let skipped = failures.skipped(failure, of: table) else {
          throw failure
        }
        decoded.skipped.append(skipped)
      }
    }
  }
}

/// How errors of decoding are reported: by what was being done, with which file.
struct DecodingFailures: Sendable {
  let operation: PersistenceError.Operation
  let path: StorePath

  /// The error to throw for a record that could not be decoded; damage stays damage.
  func error(
    _ error: any Error,
    _ table: String,
    _ id: ArraySlice<UInt8>
  ) -> any Error {
    if error is CorruptionError { return error }
    let reason = PersistenceError.Reason(
      reading: error,
      table: table,
      id: EncodedID.text(of: id)
    )
    return PersistenceError(operation, path: path.file, reason)
  }

  /// What `.bestEffort` leaves out because of an error; nil if it must be thrown.
  func skipped(_ error: any Error, of table: String) -> RestoreLoss.Undecodable? {
    switch (error as? PersistenceError)?.reason {
    case .undecodable(_, let id, let detail)?, .unopenable(_, let id, let detail)?:
      RestoreLoss.Undecodable(table: table, id: id, detail: detail)
    default: nil
    }
  }
}
