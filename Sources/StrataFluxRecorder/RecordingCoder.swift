import Foundation
import StrataBase
import StrataFlux
import StrataRecords

/// Makes a recording of a log, and a log of a recording.
struct RecordingCoder {
  private typealias Tip = (state: RecordedState, encoded: EncodedState, isWhole: Bool)

  /// The maximum of ids and revisions, so that there is always a next one.
  private static let lastNumber: Int64 = 1 << 53

  private let stores: [String: any HubStore]
  /// The last recorded state of each store.
  private var tips: [String: Tip] = [:]
  /// What is coded now, for an error; entry 0 is the base.
  private var (entry, store) = (0, "")

  init(_ stores: [String: any HubStore]) { self.stores = stores }

  private func encodable(_ value: Any) throws -> any Encodable {
    guard let encodable = value as? any Encodable else {
      throw RecorderError.notCodable(store: store, type: "\(type(of: value))")
    }
    return encodable
  }

  private func decoded<Value>(
    _ type: Value.Type,
    _ decode: (any Decodable.Type) throws -> any Decodable
  ) throws -> Value {
    guard let decodable = type as? any Decodable.Type, let value = try decode(decodable) as? Value
    else { throw RecorderError.notCodable(store: store, type: "\(type)") }
    return value
  }

  private func state(of store: some HubStore, _ encoded: EncodedState) throws -> RecordedState {
    RecordedState(try decoded(store.stateType) { try encoded.decoded(as: $0) })
  }
}

extension RecordingCoder {
  /// The recording of a log as a file, with every state read back to find what its coding loses.
  mutating func data(of log: RecorderLog) throws(RecorderError) -> Data {
    var recording = Recording(position: log.position, partialBase: log.partialBase)
    do {
      for (name, state) in log.base {
        tips[name] = (state, try encode(state, of: name), true)
        recording.base[name] = try Recording.record(of: encodable(state.value))
      }
      for entry in log.entries {
        self.entry = entry.id
        try add(entry, to: &recording)
      }
      return try recording.data()
    } catch let error as RecorderError {
      throw error
    } catch EncodingError.invalidValue(let value, let context) {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      let reason = "The field \(path) has the value \(value). \(context.debugDescription)"
      throw .notExportable(entry: entry, store: store, reason)
    } catch {
      throw .notExportable(entry: entry, store: store, "\(error)")
    }
  }

  private mutating func encode(_ state: RecordedState, of name: String) throws -> EncodedState {
    store = name
    let encoded = try EncodedState(of: encodable(state.value))
    guard let store = stores[name], let value = state.value as? any Equatable else {
      return encoded
    }
    let read = try self.state(of: store, encoded).value
    func isEqual<Value: Equatable>(_ value: Value) -> Bool {
      value == read as? Value || value != value
    }
    if isEqual(value) { return encoded }
    let fields = zip(Mirror(reflecting: value).children, Mirror(reflecting: read).children)
      .filter { String(reflecting: $0.value) != String(reflecting: $1.value) }
      .map { $0.0.label ?? "" }
    let loss = "Read back, it has another value in \(fields.joined(separator: ", "))."
    let remedy = "Encode it so that it is decoded as it was."
    throw RecorderError.notExportable(entry: entry, store: name, "\(loss) \(remedy)")
  }

  private mutating func add(_ entry: RecorderEntry, to recording: inout Recording) throws {
    var new = Recording.Entry(
      id: entry.id,
      time: entry.time,
      duration: Int64(entry.duration / .nanoseconds(1)),
      place: recording.number(of: entry.place),
      isSkipped: entry.isSkipped
    )
    switch entry.origin {
    case .pause: break
    case .commit(let name): new.commit = recording.number(of: name)
    case .action(let action):
      new.recipients = entry.parts.map(\.store)
        .filter { stores[$0]?.responds(to: action) == true }
      if let first = new.recipients.first {
        store = first
        new.action = Data(try TaggedValue.bytes(of: encodable(action)))
      } else {
        // The stores that respond were unregistered, and with them all changes of the action.
        new.commit = recording.number(of: "\(action)")
      }
    }
    for part in entry.parts {
      let (recorded, tip) = try self.coded(part.recorded, of: part.store, after: tips[part.store])
      let (shown, _) = try self.coded(part.shown, of: part.store, after: tip)
      let isShown =
        part.shown.state === part.recorded.state
        && (shown.failure, shown.isOfDependency) == (recorded.failure, recorded.isOfDependency)
      let coded = Recording.Part(part: part, recorded: recorded, shown: isShown ? nil : shown)
      new.parts.append(coded)
      tips[part.store] = tip
    }
    recording.entries.append(new)
  }

  private mutating func coded(
    _ outcome: RecorderEntry.Outcome,
    of name: String,
    after tip: Tip?
  ) throws -> (Recording.Outcome, Tip?) {
    var coded = Recording.Outcome(outcome.failure)
    guard let state = outcome.state, let tip else { return (coded, tip) }
    let encoded = state === tip.state ? tip.encoded : try encode(state, of: name)
    let difference = try encoded.difference(from: tip.encoded)
    coded.difference = Data(TaggedValue.bytes(of: difference ?? .object([])))
    return (coded, (state, encoded, true))
  }
}

extension RecordingCoder {
  /// The log in a file, and the stores of the file that are not registered.
  mutating func log(
    of data: Data,
    limit: Int
  ) throws(RecorderError) -> (log: RecorderLog, missing: [String]) {
    var (recording, base, entries) = (Recording(), RecorderLog.States(), [RecorderEntry]())
    do {
      recording = try Recording(data)
      for (name, record) in recording.base {
        guard let store = stores[name] else { continue }
        self.store = name
        let state = RecordedState(
          try decoded(store.stateType) { try Recording.value(as: $0, of: record) }
        )
        let isWhole = !recording.partialBase.contains(name)
        base[name] = state
        tips[name] = (state, try EncodedState(of: encodable(state.value)), isWhole)
      }
      for coded in recording.entries {
        self.entry = coded.id
        let last = entries.last?.id ?? 0
        guard coded.id > last, coded.id <= Self.lastNumber else {
          throw RecorderError.unreadable("The entry after \(last) has the id \(coded.id).")
        }
        entries.append(try entry(coded, in: recording))
      }
    } catch let error as RecorderError {
      throw error
    } catch {
      let place = store.isEmpty ? "The file" : "Entry \(entry): the state of the store \"\(store)\""
      throw .unreadable(
        "\(place) cannot be decoded: \(error). Decode it in its type, or import with the program that "
          + "exported it."
      )
    }
    let partial = recording.partialBase.filter { base[$0] != nil }
    let last = entries.last?.id ?? 0
    var log = RecorderLog(base: base, partialBase: partial, entries: entries, lastID: last)
    try log.jump(to: recording.position)
    log.merge(limit: limit)
    let names = recording.entries.flatMap { $0.recipients + $0.parts.map(\.part.store) }
    return (log, Set(names + recording.base.keys).subtracting(base.keys).sorted())
  }

  private mutating func entry(
    _ coded: Recording.Entry,
    in recording: Recording
  ) throws -> RecorderEntry {
    var entry = RecorderEntry(
      id: coded.id,
      origin: try origin(of: coded, in: recording),
      time: coded.time,
      duration: .nanoseconds(coded.duration),
      place: recording.text(coded.place),
      isSkipped: coded.isSkipped
    )
    for part in coded.parts { try add(part, to: &entry) }
    return entry
  }

  private func origin(
    of coded: Recording.Entry,
    in recording: Recording
  ) throws -> RecorderEntry.Origin {
    if let name = coded.commit { return .commit(recording.text(name)) }
    guard let action = coded.action else { return .pause }
    let value = try TaggedValue.value(of: [UInt8](action))
    let text = "\(value)".prefix(200)
    guard let store = coded.recipients.lazy.compactMap({ stores[$0] }).first else {
      return .commit("\(text), an action of \(coded.recipients.joined(separator: ", "))")
    }
    do {
      return .action(try decoded(store.actionType) { try value.decoded(as: $0) })
    } catch let error as DecodingError {
      throw RecorderError.unreadable(
        "Entry \(coded.id): the action \(text) of the store \"\(store.identifier)\" cannot be decoded: "
          + "\(error). Add the case to \(store.actionType), or import with the program that exported it."
      )
    }
  }

  private mutating func add(_ coded: Recording.Part, to entry: inout RecorderEntry) throws {
    var part = coded.part
    guard let store = stores[part.store], let before = tips[part.store] else { return }
    self.store = part.store
    if let revision = part.revision, !(1...Self.lastNumber).contains(revision) {
      let end = "which is not from 1 to \(Self.lastNumber)."
      throw RecorderError.unreadable("Entry \(entry.id) has the revision \(revision), \(end)")
    }
    var tip = before
    part.recorded = try outcome(coded.recorded, of: store, &tip)
    if part.recorded.state != nil {
      part.changes = part.isReduced ? [.reduction] : [.unknown]
      tip.isWhole = part.isWhole
    }
    tips[part.store] = tip
    if part.isReduced, part.isWhole, before.isWhole {
      part.reduce(entry.action, on: before.state.value, of: store)
      let made = try part.shown.state.map { try EncodedState(of: encodable($0.value)) }
      let isSame = try made?.difference(from: tip.encoded) == nil
      if !isSame || (part.shown.failure == nil) != (part.recorded.failure == nil) {
        entry.decidedOtherwise.append(part.store)
      }
    }
    part.shown = try coded.shown.map { try outcome($0, of: store, &tip) } ?? part.recorded
    entry[part.store] = part
  }

  private func outcome(
    _ coded: Recording.Outcome,
    of store: any HubStore,
    _ tip: inout Tip
  ) throws -> RecorderEntry.Outcome {
    var outcome = RecorderEntry.Outcome(failure: coded.error)
    if let difference = coded.difference {
      tip.encoded = try tip.encoded.applying(TaggedValue.value(of: [UInt8](difference)))
      tip.state = try state(of: store, tip.encoded)
      outcome.state = tip.state
    }
    return outcome
  }
}

extension HubStore {
  fileprivate var stateType: State.Type { State.self }
  fileprivate var actionType: Action.Type { Action.self }
}
