import Foundation
import StrataBase

/// An exported recording: a JSON object with one line for each entry.
///
/// ```
/// { "format": 3, "position": 2, "count": 2, "checksum": "…",
///   "base":    { "<store>": <state>, … },
///   "entries": [ { "id": 1, "time": <microseconds since 1970>, "duration": <nanoseconds>,
///                  "action": { "stores": [<those that respond to it>], "value": <action> },
///                  "participants": [ { "store": "<store>", "waitsFor": [], "order": 1 } ],
///                  "changes": [ { "store": "<store>", "order": 2, "reduced": true,
///                                 "state": <difference> }, … ],
///                  "checksum": "…" },
///                { "id": 2, "skipped": true, "commit": "<name>", "changes": […], … }, … ] }
/// ```
///
/// Only the base contains whole states. A change contains the difference to the state before it in
/// the order of the commits, which can differ from that of the entries; see ``EncodedState``. `before`
/// is a difference that comes first, made by commits that no entry contains. Order 0 is a commit that
/// the base includes. Without `state`, a change made no commit: `failure` or `unreached` says why.
/// `shown` is the difference from the state after the commit to the one shown, where an earlier entry
/// is skipped and the change is not a reducer's.
///
/// `revision` is the revision of the commit in the file of its store. The difference is there too, so
/// that a recording can be read without that file.
///
/// `reduced` means that the state is what the store's reducer makes of the action. Such a change is
/// recomputed when it is read, and compared. Each checksum covers the one before it, so that a missing
/// entry is found; the first one covers the base.
struct Recording {
  /// Format 2 had whole states in every change.
  private static let format = 3
  /// The maximum of revisions.
  static let lastRevision = Int64(1) << 53
  /// The maximum of ids and orders, so that there is always a next one.
  static let lastNumber = Int(clamping: min(lastRevision, Int64(Int.max) - 1))

  let codings: [String: any HubStore]

  func coding(of store: String) throws(RecorderError) -> any HubStore {
    guard let coding = codings[store] else { throw .notRecorded(store: store) }
    return coding
  }

  /// The checksum of a text and the checksum before it: 16 digits.
  private static func checksum(of json: ExactJSON, after previous: String) -> String {
    String(Checksum(of: Array((previous + json.text).utf8)).description.prefix(16))
  }
}

extension Recording {
  /// The file of a log, which was read back and shows what the log shows.
  func checkedData(of log: RecorderLog) throws -> Data {
    let data = try data(of: log)
    let read: RecorderLog
    do throws(RecorderError) {
      read = try contents(of: data, limit: .max).log
    } catch {
      throw RecorderError.notExportable(entry: error.entry ?? 0, "\(error)")
    }
    var compared: [String: (own: Int, read: Int)] = [:]
    for position in 0...log.entries.count {
      let states = read.statesOfEntries(at: position)
      for (store, own) in log.statesOfEntries(at: position).sorted(by: { $0.key < $1.key }) {
        guard let other = states[store],
          !(compared[store].map { $0 == (own.id, other.id) } ?? false)
        else { continue }
        if try !areEqual(own.state, other.state, of: coding(of: store)) {
          throw RecorderError.notExportable(
            entry: position == 0 ? 0 : log.entries[position - 1].id,
            "The store \"\(store)\" would have another state."
          )
        }
        compared[store] = (own.id, other.id)
      }
    }
    return data
  }

  /// Whether two states are the same as JSON: what a state does not encode is in no recording.
  private func areEqual(
    _ a: any StateType,
    _ b: any StateType,
    of coding: any HubStore
  ) throws -> Bool {
    let (a, b) = (try coding.encode(a), try coding.encode(b))
    if try a.difference(from: b) == nil { return true }
    // A set can be encoded in another order.
    return try a.whole(a.json).withoutOrder == b.whole(b.json).withoutOrder
  }

  /// The file of a log.
  private func data(of log: RecorderLog) throws -> Data {
    let states = Dictionary(
      (log.base.values + log.changes.map(\.recorded)).map { ($0.id, $0.state) }
    ) { first, _ in first }
    var header: [String: ExactJSON] = [
      "format": ExactJSON(Self.format),
      "position": ExactJSON(log.position),
      "count": ExactJSON(log.entries.count),
    ]
    var base: [String: ExactJSON] = [:]
    var tips: [String: (id: Int, state: EncodedState)] = [:]
    for (store, state) in log.base {
      let encoded = try coding(of: store).encode(state.state)
      base[key(store)] = try encoded.whole(encoded.json)
      tips[store] = (state.id, encoded)
    }
    header["base"] = .object(base)

    var changes: [Int: [Int: ExactJSON]] = [:]
    let exported = log.entries.enumerated().flatMap { step, entry in
      entry.changes.enumerated().map { (step: step, place: $0, change: $1) }
    }
    for (step, place, change) in exported.sorted(by: { $0.change.order < $1.change.order }) {
      changes[step, default: [:]][place] = try json(of: change, in: log, states, &tips)
    }

    var checksum = Self.checksum(of: .object(header), after: "")
    header["checksum"] = ExactJSON(checksum)
    var lines: [String] = []
    for (step, entry) in log.entries.enumerated() {
      var fields = try json(of: entry)
      let own = changes[step] ?? [:]
      fields["changes"] = .array(own.sorted { $0.key < $1.key }.map(\.value))
      checksum = Self.checksum(of: .object(fields), after: checksum)
      fields["checksum"] = ExactJSON(checksum)
      lines.append(ExactJSON.object(fields).text)
    }
    let fields = header.sorted { $0.key < $1.key }.map { "\"\($0.key)\" : \($0.value.text)" }
    let entries = "\"entries\" : [\n" + lines.joined(separator: ",\n") + "\n]"
    return Data(("{" + (fields + [entries]).joined(separator: ",\n") + "}\n").utf8)
  }

  private func key(_ store: String) -> String {
    String(ExactJSON(store).text.dropFirst().dropLast())
  }

  private func json(
    of change: RecordedChange,
    in log: RecorderLog,
    _ states: [Int: any StateType],
    _ tips: inout [String: (id: Int, state: EncodedState)]
  ) throws -> ExactJSON {
    var fields = ["store": ExactJSON(change.store), "order": ExactJSON(change.order)]
    if let revision = change.revision { fields["revision"] = ExactJSON(revision) }
    if change.isReduction { fields["reduced"] = .leaf("true") }
    if change.wasNotReached { fields["unreached"] = .leaf("true") }
    if let failure = change.failure { fields["failure"] = ExactJSON("\(failure)") }
    guard var tip = tips[change.store], !log.isInBase(change) else {
      fields["order"] = ExactJSON(0)
      return .object(fields)
    }
    let coding = try coding(of: change.store)
    if change.before != tip.id, let before = states[change.before] {
      let encoded = try coding.encode(before)
      fields["before"] = try encoded.difference(from: tip.state) ?? .object([:])
      tip = (change.before, encoded)
    }
    if change.isCommit {
      let encoded = try coding.encode(change.recorded.state)
      fields["state"] = try encoded.difference(from: tip.state) ?? .object([:])
      tip = (change.recorded.id, encoded)
    }
    if change.shown.id != change.recorded.id, !change.isReduction {
      let shown = try coding.encode(change.shown.state)
      fields["shown"] = try shown.difference(from: tip.state) ?? .object([:])
    }
    tips[change.store] = tip
    return .object(fields)
  }

  private func json(of entry: RecorderEntry) throws -> [String: ExactJSON] {
    var fields = [
      "id": ExactJSON(entry.id),
      "time": ExactJSON(entry.time.microseconds),
      "duration": ExactJSON(Int64(entry.duration / .nanoseconds(1))),
    ]
    if entry.isSkipped { fields["skipped"] = .leaf("true") }
    switch entry.origin {
    case .commit(let name): fields["commit"] = ExactJSON(name)
    case .pause: fields["pause"] = .leaf("true")
    case .action(let action):
      let stores = codings.keys.sorted().filter { codings[$0]?.reduction(of: action) != nil }
      guard let store = stores.first else {
        // The stores that responded were unregistered, and with them all changes of the action.
        fields["commit"] = ExactJSON("\(action)")
        break
      }
      fields["action"] = .object([
        "stores": .array(stores.map { ExactJSON($0) }),
        "value": try coding(of: store).encode(action),
      ])
    }
    if !entry.participants.isEmpty {
      fields["participants"] = try EncodedState.json(of: entry.participants)
    }
    if let error = entry.recordedError {
      fields["error"] = try EncodedState.json(of: RecordedError(error))
    }
    return fields
  }
}

extension Recording {
  /// A log that was read, and the stores of the file that are not registered.
  struct Contents {
    let log: RecorderLog
    let missingStores: [String]
  }

  /// Reads a file: checks it, recomputes what the reducers of registered stores made, and compares.
  func contents(of data: Data, limit: Int) throws(RecorderError) -> Contents {
    let file: ExactJSON
    do {
      file = try ExactJSON(parsing: data)
    } catch {
      throw .unreadable("It is not JSON: \(error).")
    }
    guard let format = file["format"]?.int else { throw .unreadable("It has no format.") }
    guard format == Self.format else {
      throw .unreadable("Its format is \(format); this version reads format \(Self.format).")
    }
    guard var header = file.fields, let entries = header.removeValue(forKey: "entries")?.array,
      let checksum = header.removeValue(forKey: "checksum")?.decoded(String.self),
      let position = header["position"]?.int, let base = header["base"]?.fields
    else { throw .unreadable("Its position, base, entries or checksum are missing.") }
    try check(header, entries, checksum)

    var reader = RecordingReader(codings: codings)
    try reader.readBase(base)
    for (index, entry) in entries.enumerated() { try reader.read(entry, number: index + 1) }
    return Contents(
      log: try reader.log(showing: position, limit: limit),
      missingStores: reader.missingStores.sorted()
    )
  }

  private func check(
    _ header: [String: ExactJSON],
    _ entries: [ExactJSON],
    _ first: String
  ) throws(RecorderError) {
    guard Self.checksum(of: .object(header), after: "") == first else {
      throw .checksumMismatch(entry: 0)
    }
    var previous = first
    for (index, entry) in entries.enumerated() {
      guard var fields = entry.fields else {
        throw .unreadable("Entry number \(index + 1) is not an object.")
      }
      let stored = fields.removeValue(forKey: "checksum")?.decoded(String.self)
      let computed = Self.checksum(of: .object(fields), after: previous)
      guard stored == computed else {
        throw .checksumMismatch(entry: fields["id"]?.int ?? index + 1)
      }
      previous = computed
    }
    guard header["count"]?.int == entries.count else {
      throw .unreadable(
        "It has \(entries.count) entries and says that it has \(header["count"]?.text ?? "none")."
      )
    }
  }
}
