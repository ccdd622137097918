import Foundation
import StrataBase

/// Reads the base and the entries of a recording, then recomputes the states.
struct RecordingReader {
  /// A change as it is in the file.
  private struct ReadChange {
    let step: Int
    let store: String
    let order: Int
    let revision: Int64?
    let fields: ExactJSON
  }

  /// The last state of a store that was read.
  private struct Tip {
    var state: any StateType
    var encoded: EncodedState
    /// The state as the file has it.
    ///
    /// Sets are encoded in any order, and differences count on the order in the file.
    var inFile: EncodedState
    var id: Int
  }

  let codings: [String: any HubStore]
  private(set) var missingStores: Set<String> = []
  private var base: RecorderLog.States = [:]
  private var entries: [RecorderEntry] = []
  private var changes: [ReadChange] = []
  private var tips: [String: Tip] = [:]
  private var ids: Set<Int> = []
  private var orders: Set<Int> = []
  private var lastID = 0
  /// The shown states that cannot be recomputed, by the order of their change.
  private var shown: [Int: any StateType] = [:]

  init(codings: [String: any HubStore]) { self.codings = codings }

  mutating func readBase(_ states: [String: ExactJSON]) throws(RecorderError) {
    for (key, json) in states {
      let store = ExactJSON.leaf("\"\(key)\"").decoded(String.self) ?? key
      guard let coding = codings[store] else {
        missingStores.insert(store)
        continue
      }
      let state = try decode(json, of: coding, as: "The base state of the store \"\(store)\"") {
        try coding.decodeState(EncodedState(json: $0, parts: []))
      }
      let encoded = try reading("The base") { try coding.encode(state) }
      let id = nextID()
      base[store] = RecordedState(state: state, id: id, order: 0)
      tips[store] = Tip(
        state: state,
        encoded: encoded,
        inFile: encoded.ordered(as: json),
        id: id
      )
    }
  }

  /// Reads an entry, whose changes come later, in the order of the commits.
  mutating func read(_ json: ExactJSON, number: Int) throws(RecorderError) {
    guard let id = json["id"]?.int, let time = json["time"]?.int64,
      let duration = json["duration"]?.int64, let changes = json["changes"]?.array
    else {
      throw .unreadable("Entry number \(number) lacks its id, time, duration or changes.")
    }
    guard (1...Recording.lastNumber).contains(id) else {
      throw .unreadable("The entry id \(id) is not from 1 to \(Recording.lastNumber).")
    }
    guard ids.insert(id).inserted else { throw .unreadable("Two entries have the id \(id).") }
    var entry = RecorderEntry(
      id: id,
      origin: try origin(of: json, id),
      time: Date(microseconds: time),
      duration: .nanoseconds(duration),
      error: try json["error"].map { json throws(RecorderError) in
        guard let error = json.decoded(RecordedError.self) else {
          throw .unreadable("The error of entry \(id) is unknown: \(json.text.prefix(200)).")
        }
        return error.dispatchError
      },
      changes: []
    )
    entry.isSkipped = json["skipped"]?.bool ?? false
    entry.participants =
      json["participants"]?.decoded([RecorderEntry.Participant].self) ?? []
    for change in changes { try read(change, of: id) }
    entries.append(entry)
  }

  private mutating func read(_ json: ExactJSON, of id: Int) throws(RecorderError) {
    guard let store = json["store"]?.decoded(String.self), let order = json["order"]?.int else {
      throw .unreadable("A change of entry \(id) lacks its store or its order.")
    }
    guard base[store] != nil || missingStores.contains(store) else {
      throw .unreadable(
        "Entry \(id) changes the store \"\(store)\", which the base does not contain."
      )
    }
    guard (0...Recording.lastNumber).contains(order) else {
      throw .unreadable(
        "Entry \(id) has the commit order \(order), which is not from 0 to "
          + "\(Recording.lastNumber)."
      )
    }
    guard order == 0 || orders.insert(order).inserted else {
      throw .unreadable("Two commits have the order \(order).")
    }
    let revision = try json["revision"].map { json throws(RecorderError) in
      guard let number = json.int64, (1...Recording.lastRevision).contains(number) else {
        throw .unreadable(
          "Entry \(id) has the revision \(json.text.prefix(40)), which is not from 1 to "
            + "\(Recording.lastRevision)."
        )
      }
      return number
    }
    if missingStores.contains(store) { return }
    changes.append(
      ReadChange(
        step: entries.count,
        store: store,
        order: order,
        revision: revision,
        fields: json
      )
    )
  }

  private mutating func origin(
    of json: ExactJSON,
    _ id: Int
  ) throws(RecorderError) -> RecorderEntry.Origin {
    if let name = json["commit"]?.decoded(String.self) { return .commit(name) }
    if json["pause"] != nil { return .pause }
    guard let action = json["action"], let value = action["value"],
      let stores = action["stores"]?.decoded([String].self)
    else { throw .unreadable("Entry \(id) has no action, commit or pause.") }
    guard let store = stores.first(where: { codings[$0] != nil }), let coding = codings[store]
    else {
      missingStores.formUnion(stores)
      return .commit("\(value.text.prefix(200)), an action of \(stores.joined(separator: ", "))")
    }
    return .action(
      try decode(
        value,
        of: coding,
        as: "Entry \(id): the action \(value.text.prefix(200)) of the store \"\(store)\"",
        remedy: "Add the case to \(coding.actionType), or import with the program that exported it."
      ) { try coding.decodeAction($0) }
    )
  }

  /// The log, with every state recomputed that can be.
  mutating func log(showing position: Int, limit: Int) throws(RecorderError) -> RecorderLog {
    guard (0...entries.count).contains(position) else {
      throw .noSuchPosition(position, last: entries.count)
    }
    for change in changes.sorted(by: { $0.order < $1.order }) { try replay(change) }
    var log = RecorderLog(base: base, entries: entries, position: position)
    try log.recompute(with: shown)
    log.apply(limit: limit)
    return log
  }

  /// Finds the state after a change, from the state before it and the file.
  private mutating func replay(_ read: ReadChange) throws(RecorderError) {
    let (store, id) = (read.store, entries[read.step].id)
    guard let coding = codings[store], var tip = tips[store] else { return }
    let before = tip.id
    guard read.order > 0 else {
      // The base includes it.
      let state = RecordedState(state: tip.state, id: nextID(), order: 0)
      entries[read.step].changes.append(
        RecordedChange(store: store, state: state, before: 0, mutation: nil)
      )
      return
    }
    var mutation: ReplayableMutation?
    if read.fields["reduced"]?.bool == true {
      guard let action = entries[read.step].action, let reduction = coding.reduction(of: action)
      else {
        throw .unreadable("Entry \(id) has no action of the store \"\(store)\" to reduce.")
      }
      mutation = reduction
    }
    if let gap = read.fields["before"] { try apply(gap, to: &tip, coding, id, store) }
    var failure = read.fields["failure"]?.decoded(String.self).map(RecordedError.failure)
    if read.fields["unreached"]?.bool == true, let cause = failure {
      failure = OperationError.dependencyFailed(cause)
    } else if let mutation {
      try compare(read, mutation, with: tip, coding, id)
    }
    if let state = read.fields["state"] {
      if let mutation {
        let inFile = tip.inFile
        tip.inFile = try reading("Entry \(id)") { try inFile.applying(state) }
        tip.state = try reading("Entry \(id)") { try mutation.replay(tip.state) }
        tip.encoded = try reading("Entry \(id)") { try coding.encode(tip.state) }
        tip.id = nextID()
      } else {
        try apply(state, to: &tip, coding, id, store)
      }
    }
    if let difference = read.fields["shown"] {
      var other = tip
      try apply(difference, to: &other, coding, id, store)
      shown[read.order] = other.state
    }
    tips[store] = tip
    // What a commit outside of the entries did before it would be lost in a replay.
    let isReplayable = read.fields["before"] == nil
    entries[read.step].changes.append(
      RecordedChange(
        store: store,
        state: RecordedState(state: tip.state, id: tip.id, order: read.order),
        before: before,
        mutation: isReplayable ? mutation : nil,
        revision: read.revision,
        failure: failure
      )
    )
  }

  /// Runs the reducer, and checks that it makes of the state before what the file says.
  private func compare(
    _ read: ReadChange,
    _ mutation: ReplayableMutation,
    with tip: Tip,
    _ coding: any HubStore,
    _ id: Int
  ) throws(RecorderError) {
    let mismatch = RecorderError.recomputedDifferently(entry: id, store: read.store)
    var after: (any StateType)?
    do {
      after = try mutation.replay(tip.state)
    } catch _ {
      // The recorded failure is compared below.
    }
    guard let after else {
      if read.fields["failure"] == nil || read.fields["state"] != nil { throw mismatch }
      return
    }
    guard read.fields["failure"] == nil else { throw mismatch }
    let recorded = read.fields["state"] ?? .object([:])
    let made = try reading("Entry \(id)") {
      try coding.encode(after).difference(from: tip.encoded) ?? .object([:])
    }
    if made == recorded { return }
    // A set can be encoded in another order now.
    let isEqual: Bool = try reading("Entry \(id)") {
      let read = try tip.inFile.applying(recorded)
      if let isEqual = coding.isEqual(try coding.decodeState(read), after) { return isEqual }
      let other = try coding.encode(after)
      return try read.whole(read.json).withoutOrder == other.whole(other.json).withoutOrder
    }
    if !isEqual { throw mismatch }
  }

  private mutating func apply(
    _ difference: ExactJSON,
    to tip: inout Tip,
    _ coding: any HubStore,
    _ id: Int,
    _ store: String
  ) throws(RecorderError) {
    let (inFile, what) = (tip.inFile, "Entry \(id): the change of the store \"\(store)\"")
    tip.inFile = try reading(what) { try inFile.applying(difference) }
    tip.state = try decode(tip.inFile.json, of: coding, as: what) {
      try coding.decodeState(EncodedState(json: $0, parts: tip.inFile.parts))
    }
    tip.encoded = tip.inFile
    tip.id = nextID()
  }

  private mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  private func decode<Value>(
    _ json: ExactJSON,
    of coding: any HubStore,
    as what: String,
    remedy: String? = nil,
    _ body: (ExactJSON) throws -> Value
  ) throws(RecorderError) -> Value {
    do {
      return try body(json)
    } catch let error as RecorderError {
      throw error
    } catch let error {
      let remedy =
        remedy ?? "Decode it in \(coding.stateType), or import with the program that exported it."
      throw .unreadable("\(what) cannot be decoded: \(error). \(remedy)")
    }
  }

  private func reading<Value>(
    _ what: String,
    _ body: () throws -> Value
  ) throws(RecorderError) -> Value {
    do {
      return try body()
    } catch let error as RecorderError {
      throw error
    } catch let error {
      throw .unreadable("\(what) cannot be read: \(error)")
    }
  }
}
