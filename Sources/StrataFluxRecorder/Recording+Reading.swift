import Foundation
import StrataBase
import StrataFlux
import StrataRecords

extension Recording {
  /// The maximum of ids and revisions, so that there is always a next one.
  private static let lastNumber: Int64 = 1 << 53

  /// The log in a file, and the stores of the file that are not registered.
  func log(
    of data: Data,
    limit: Int
  ) throws(RecorderError) -> (log: RecorderLog, missing: [String]) {
    let blocks = try blocks(of: [UInt8](data))
    guard let header = blocks.first, let position = header["position"]?.int,
      let base = header["base"]?.members, let names = header["names"]?.elements,
      header["count"]?.int == blocks.count - 1
    else { throw .unreadable("Its first block lacks something, or entries are missing.") }
    let partial = Set((header["partial"]?.elements ?? []).compactMap(\.text))
    var reader = Reader(stores: stores, names: names.map { $0.text ?? "" })
    try reader.read(base, partial)
    for block in blocks.dropFirst() { try reader.read(block) }
    guard (0...reader.entries.count).contains(position) else {
      throw .noSuchPosition(position, last: reader.entries.count)
    }
    let known = partial.filter { reader.base[$0] != nil }
    var log = RecorderLog(base: reader.base, known, reader.entries, position: position)
    log.apply(limit: limit)
    return (log, reader.missing.sorted())
  }

  /// Checks the file and cuts it into blocks.
  private func blocks(of bytes: [UInt8]) throws(RecorderError) -> [RecordValue] {
    var rest = bytes[...]
    func line() -> String? {
      guard let end = rest.prefix(200).firstIndex(of: 0x0A) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    guard let title = line(), title.hasPrefix(Self.title) else {
      throw .unreadable("It is not a recording, or one of an earlier version.")
    }
    guard title.dropFirst(Self.title.count) == "\(Self.format)" else {
      throw .unreadable("\"\(title)\" is not format \(Self.format), which this version reads.")
    }
    var blocks: [RecordValue] = []
    var previous = ""
    while !rest.isEmpty {
      let words = line()?.split(separator: " ") ?? []
      guard words.count == 2, let count = Int(words[0]), count >= 0, count < rest.count,
        Self.checksum(of: rest.prefix(count), after: previous) == words[1]
      else {
        let last = blocks.last?["id"]?.integer.map { $0 &+ 1 }
        throw .checksumMismatch(entry: last.flatMap { Int(exactly: $0) } ?? blocks.count)
      }
      do {
        blocks.append(try RecordValue(taggedBytes: Array(rest.prefix(count))))
      } catch {
        throw .unreadable("Block \(blocks.count) is not a value: \(error)")
      }
      previous = String(words[1])
      rest = rest.dropFirst(count + 1)
    }
    return blocks
  }

  /// Reads the base, then one entry after the other.
  private struct Reader {
    let stores: [String: any HubStore]
    let names: [String]
    var base: RecorderLog.States = [:]
    var entries: [RecorderEntry] = []
    var missing: Set<String> = []
    /// The last recorded state of each store.
    private var tips: [String: (state: any StateType, encoded: EncodedState, isWhole: Bool)] = [:]

    init(stores: [String: any HubStore], names: [String]) {
      self.stores = stores
      self.names = names
    }

    mutating func read(
      _ states: [RecordValue.Member],
      _ partial: Set<String>
    ) throws(RecorderError) {
      for member in states {
        guard let store = stores[member.name] else {
          missing.insert(member.name)
          continue
        }
        let what = "The base state of the store \"\(member.name)\""
        let state = try decoding(what) { try store.decode(EncodedState(whole: member.value)) }
        let encoded = try decoding(what) { try store.encode(state) }
        base[member.name] = RecordedState(state)
        tips[member.name] = (state, encoded, !partial.contains(member.name))
      }
    }

    private func name(_ value: RecordValue?) -> String? {
      value?.int.flatMap { names.indices.contains($0) ? names[$0] : nil }
    }

    mutating func read(_ value: RecordValue) throws(RecorderError) {
      guard let id = value["id"]?.integer, (1...Recording.lastNumber).contains(id),
        let time = value["at"]?.integer, let parts = value["in"]?.elements,
        !entries.contains(where: { $0.id == id })
      else {
        let number = entries.count + 1
        throw .unreadable("Block \(number) lacks its id, time or parts, or has another's id.")
      }
      var entry = RecorderEntry(
        try origin(of: value, Int(id)),
        at: Date(microseconds: time)
      )
      entry.id = Int(id)
      entry.duration = .nanoseconds(value["ns"]?.integer ?? 0)
      entry.place = name(value["by"]) ?? ""
      entry.isSkipped = value["skipped"]?.truth ?? false
      for part in parts {
        guard let store = name(part["s"]) else {
          throw .unreadable("A part of entry \(id) has no store.")
        }
        guard let known = stores[store], base[store] != nil else {
          missing.insert(store)
          continue
        }
        entry[store] = try read(part, of: known, &entry)
      }
      entry.showFailures()
      entries.append(entry)
    }

    private mutating func origin(
      of value: RecordValue,
      _ id: Int
    ) throws(RecorderError) -> RecorderEntry.Origin {
      if let name = name(value["commit"]) { return .commit(name) }
      if value["pause"] != nil { return .pause }
      guard let action = value["do"], let to = value["to"]?.elements?.compactMap(name)
      else { throw .unreadable("Entry \(id) has no action, commit or pause.") }
      guard let store = to.compactMap({ stores[$0] }).first else {
        missing.formUnion(to)
        return .commit("\("\(action)".prefix(200)), an action of \(to.joined(separator: ", "))")
      }
      let what = "Entry \(id): the action \("\(action)".prefix(200)) of the store \"\(to[0])\""
      return .action(
        try decoding(what, "Add the case to \(store.actionType)") { try store.decodeAction(action) }
      )
    }

    private mutating func read(
      _ value: RecordValue,
      of store: any HubStore,
      _ entry: inout RecorderEntry
    ) throws(RecorderError) -> RecorderEntry.Part {
      let name = store.identifier
      let what = "Entry \(entry.id): the state of the store \"\(name)\""
      guard var tip = tips[name] else { throw .notRecorded(store: name) }
      var part = RecorderEntry.Part(name)
      part.waitsFor = (value["waitsFor"]?.elements ?? []).compactMap(self.name)
      part.flags = value["is"]?.int ?? 0
      part.failure = value["failure"].map(Self.error)
      part.revision = value["revision"]?.integer
      if let revision = part.revision, !(1...Recording.lastNumber).contains(revision) {
        throw .unreadable(
          "Entry \(entry.id) has the revision \(revision), which is not from 1 to "
            + "\(Recording.lastNumber)."
        )
      }
      let before = tip
      if let difference = value["d"] {
        tip.encoded = try decoding(what) { try before.encoded.applying(difference) }
        tip.state = try decoding(what) { try store.decode(tip.encoded) }
        tip.isWhole = part.isWhole
        part.recorded = RecordedState(tip.state)
        part.changes = part.isReduced ? [.reduction] : [.unknown]
        tips[name] = tip
      }
      if part.isReduced, part.isWhole, before.isWhole, let action = entry.action {
        let isSame = try decoding(what) {
          try store.makes(action, of: before.state, tip.encoded, part.failure)
        }
        if !isSame { entry.decidedOtherwise.append(name) }
      }
      (part.shown, part.shownFailure) = (part.recorded, part.failure)
      if let shown = value["shown"] {
        part.shownFailure = value["shownFailure"].map(Self.error)
        part.shown =
          shown == .null
          ? nil
          : RecordedState(try decoding(what) { try store.decode(tip.encoded.applying(shown)) })
      }
      return part
    }

    private static func error(_ value: RecordValue) -> any Error {
      if value.truth != nil { return OperationError.cancelled }
      let cause = value.elements?.first?.text
      let error = RecorderError.recorded(cause ?? value.text ?? "\(value)")
      return cause == nil ? error : OperationError.dependencyFailed(error)
    }

    private func decoding<Value>(
      _ what: String,
      _ remedy: String = "Decode it in its type",
      _ body: () throws -> Value
    ) throws(RecorderError) -> Value {
      do {
        return try body()
      } catch let error as RecorderError {
        throw error
      } catch let error {
        throw .unreadable(
          "\(what) cannot be decoded: \(error). \(remedy), or import with the program that exported "
            + "it."
        )
      }
    }
  }
}

extension HubStore {
  /// Whether the reducer, run again, makes the recorded state of an action, or fails as it did.
  fileprivate func makes(
    _ action: any FluxAction,
    of before: any StateType,
    _ after: EncodedState,
    _ failure: (any Error)?
  ) throws -> Bool {
    var made: (any StateType)?
    do {
      made = try reduce(before, action)
    } catch _ {
      // It fails now.
    }
    guard let made else { return failure != nil }
    return try failure == nil && encode(made).difference(from: after) == nil
  }
}
