import Foundation
import StrataBase
import StrataFlux
import StrataRecords

/// An exported recording: a line, then blocks of one value each, the base and the entries.
///
/// ```
/// strata recording 4
/// <bytes of the block> <checksum>
/// { position, names, base: { store: state }, partial: [store] }
/// <bytes of the block> <checksum>
/// { id, at: microseconds, ns: duration, by: place, (to: [store], do: action) | commit | pause, skipped,
///   in: [ { s: store, is: flags, waitsFor, revision, d: difference, failure, shown, shownFailure } ] }
/// …
/// ```
///
/// A value is in the form in which a file of the library stores one: ``RecordValue``. Only the base has whole
/// states; `d` is the difference to the recorded state before it, `shown` the one from there to the state
/// that is shown, if that is another one; see ``EncodedState``. Flags: 1 reached, 2 reduced, 4 partial.
/// Members that say nothing are left out, and stores and places are numbers in the list of names. Each
/// checksum covers the one before it, so that a missing block is found.
struct Recording {
  static let title = "strata recording "
  static let format = 4

  let stores: [String: any HubStore]
}

extension Recording {
  /// The file of a log.
  func data(of log: RecorderLog) throws(RecorderError) -> Data {
    var names = Names()
    var tips: [String: EncodedState] = [:]
    var base: [RecordValue.Member] = []
    for (store, state) in log.base.sorted(by: { $0.key < $1.key }) {
      let encoded = try encode(state, of: store, after: 0)
      tips[store] = encoded
      base.append(RecordValue.Member(store, try whole(encoded, of: store)))
    }
    var blocks: [RecordValue] = []
    for entry in log.entries { blocks.append(try value(of: entry, &tips, &names)) }
    let header: [RecordValue.Member] = [
      .init("position", .integer(log.position)), .init("count", .integer(log.entries.count)),
      .init("base", .object(RecordValue.Members(base))),
      .init("partial", .strings(log.partialBase.sorted())), .init("names", .strings(names.all)),
    ]
    var bytes = Array("\(Self.title)\(Self.format)\n".utf8)
    var checksum = ""
    for block in [.object(RecordValue.Members(header))] + blocks {
      let content = block.taggedBytes
      checksum = Self.checksum(of: content, after: checksum)
      bytes += Array("\(content.count) \(checksum)\n".utf8) + content + [0x0A]
    }
    return Data(bytes)
  }

  static func checksum(of bytes: some Sequence<UInt8>, after previous: String) -> String {
    String(Checksum(of: Array(previous.utf8) + bytes).description.prefix(8))
  }

  /// The texts that blocks refer to by number.
  private struct Names {
    var all: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of name: String) -> RecordValue {
      let number = numbers[name] ?? all.count
      if number == all.count {
        all.append(name)
        numbers[name] = number
      }
      return .integer(number)
    }
  }

  /// A state, which is read back to find what its coding loses.
  private func encode(
    _ state: RecordedState,
    of store: String,
    after entry: Int
  ) throws(RecorderError) -> EncodedState {
    guard let store = stores[store] else { throw .notRecorded(store: store) }
    do {
      let encoded = try store.encode(state.value)
      if let loss = try store.loss(of: encoded, from: state.value) {
        throw RecorderError.notExportable(entry: entry, store: store.identifier, loss)
      }
      return encoded
    } catch let error as RecorderError {
      throw error
    } catch let error {
      throw .notExportable(entry: entry, store: store.identifier, Self.text(of: error))
    }
  }

  private static func text(of error: any Error) -> String {
    guard case EncodingError.invalidValue(let value, let context)? = error as? EncodingError else {
      return "\(error)"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return "The field \(path) has the value \(value). \(context.debugDescription)"
  }

  private func whole(_ state: EncodedState, of store: String) throws(RecorderError) -> RecordValue {
    do {
      return try state.whole()
    } catch {
      throw .notExportable(entry: 0, store: store, Self.text(of: error))
    }
  }

  private func value(
    of entry: RecorderEntry,
    _ tips: inout [String: EncodedState],
    _ names: inout Names
  ) throws(RecorderError) -> RecordValue {
    var fields: [RecordValue.Member] = [
      .init("id", .integer(entry.id)), .init("at", .int(entry.time.microseconds, .bits64)),
    ]
    func add(_ name: String, _ value: RecordValue?) {
      if let value { fields.append(RecordValue.Member(name, value)) }
    }
    let took = Int64(entry.duration / .nanoseconds(1))
    add("ns", took == 0 ? nil : .int(took, .bits64))
    add("by", entry.place.isEmpty ? nil : names.number(of: entry.place))
    add("skipped", entry.isSkipped ? .bool(true) : nil)
    switch entry.origin {
    case .commit(let name): add("commit", names.number(of: name))
    case .pause: add("pause", .bool(true))
    case .action(let action):
      let responding = entry.parts.compactMap { stores[$0.store] }
        .filter { $0.responds(to: action) }
      guard let store = responding.first else {
        // The stores that respond were unregistered, and with them all changes of the action.
        add("commit", names.number(of: "\(action)"))
        break
      }
      guard let action = action as? any Encodable else {
        throw .notCodable(store: store.identifier, type: store.actionType)
      }
      add("to", .array(.init(responding.map { names.number(of: $0.identifier) })))
      do {
        add("do", try RecordValue(encoding: action))
      } catch {
        throw .notExportable(entry: entry.id, store: store.identifier, Self.text(of: error))
      }
    }
    var parts: [RecordValue] = []
    for part in entry.parts { parts.append(try value(of: part, in: entry.id, &tips, &names)) }
    add("in", .array(RecordValue.Elements(parts)))
    return .object(RecordValue.Members(fields))
  }

  private func value(
    of part: RecorderEntry.Part,
    in entry: Int,
    _ tips: inout [String: EncodedState],
    _ names: inout Names
  ) throws(RecorderError) -> RecordValue {
    var fields: [RecordValue.Member] = [.init("s", names.number(of: part.store))]
    func add(_ name: String, _ value: RecordValue?) {
      if let value { fields.append(RecordValue.Member(name, value)) }
    }
    let waits = part.waitsFor.map { names.number(of: $0) }
    add("waitsFor", waits.isEmpty ? nil : .array(RecordValue.Elements(waits)))
    add("is", part.flags == 0 ? nil : .integer(part.flags))
    add("revision", part.revision.map { .int($0, .bits64) })
    add("failure", part.failure.map(Self.value(of:)))
    if let state = part.recorded, let tip = tips[part.store] {
      let encoded = try encode(state, of: part.store, after: entry)
      add("d", try difference(of: encoded, from: tip, part.store, entry))
      tips[part.store] = encoded
    }
    let shownFailure = part.shownFailure.map(Self.value(of:))
    if part.shown !== part.recorded || shownFailure != part.failure.map(Self.value(of:)) {
      var shown: RecordValue?
      if let state = part.shown, let tip = tips[part.store] {
        let encoded = try encode(state, of: part.store, after: entry)
        shown = try difference(of: encoded, from: tip, part.store, entry)
      }
      add("shown", shown ?? .null)
      add("shownFailure", shownFailure)
    }
    return .object(RecordValue.Members(fields))
  }

  private func difference(
    of state: EncodedState,
    from tip: EncodedState,
    _ store: String,
    _ entry: Int
  ) throws(RecorderError) -> RecordValue {
    do {
      return try state.difference(from: tip) ?? .object([])
    } catch {
      throw .notExportable(entry: entry, store: store, Self.text(of: error))
    }
  }

  /// The description of an error, in an array if the store waited for the one that failed with it.
  private static func value(of error: any Error) -> RecordValue {
    switch error as? OperationError {
    case .dependencyFailed(let cause)?: .array([.string("\(cause)")])
    case .cancelled?: .bool(true)
    default: .string("\(error)")
    }
  }
}

extension RecordValue {
  fileprivate static func strings(_ all: [String]) -> RecordValue {
    .array(Elements(all.map { .string($0) }))
  }

  /// The number as an `Int`, where it is one.
  var int: Int? { integer.flatMap { Int(exactly: $0) } }
}

extension HubStore {
  var actionType: String { "\(Action.self)" }

  func encode(_ state: any StateType) throws -> EncodedState {
    guard let state = state as? any Encodable else {
      throw RecorderError.notCodable(store: identifier, type: "\(State.self)")
    }
    return try EncodedState(of: state)
  }

  /// What is not as it was when a state is read back, of an `Equatable` state that equals itself.
  fileprivate func loss(of encoded: EncodedState, from state: any StateType) throws -> String? {
    func isEqual<Value: Equatable>(_ value: Value, _ other: any StateType) -> Bool {
      value == other as? Value || value != value
    }
    guard let value = state as? any Equatable else { return nil }
    let read = try decode(encoded)
    if isEqual(value, read) { return nil }
    let fields = zip(Mirror(reflecting: state).children, Mirror(reflecting: read).children)
      .filter { String(reflecting: $0.value) != String(reflecting: $1.value) }
      .map { $0.0.label ?? "" }
    return "Read back, it has another value in \(fields.joined(separator: ", ")). Encode it so "
      + "that it is decoded as it was."
  }

  func decode(_ encoded: EncodedState) throws -> any StateType {
    guard let type = State.self as? any Decodable.Type,
      let state = try encoded.decoded(as: type) as? State
    else { throw RecorderError.notCodable(store: identifier, type: "\(State.self)") }
    return state
  }

  func decodeAction(_ value: RecordValue) throws -> any FluxAction {
    guard let type = Action.self as? any Decodable.Type,
      let action = try value.decoded(as: type) as? Action
    else { throw RecorderError.notCodable(store: identifier, type: actionType) }
    return action
  }
}
