/// A recording as it is exported: a JSON object.
///
/// ```
/// { "format": 2, "position": 2,
///   "base":    { "<store>": <state>, … },
///   "entries": [ { "id": 1, "skipped": false,
///                  "action": { "store": "<a store it reached>", "value": <action> },
///                  "changes": [ { "store": "<store>", "order": 1, "state": <state>,
///                                 "shown": <state>, "reduced": true }, … ] },
///                { "id": 2, "skipped": false, "commit": "<name>", "changes": […] }, … ] }
/// ```
///
/// An entry has one of `action`, `commit` and `pause` (true). `order` counts up in the order in which
/// the commits happened, which may be another than that of the entries; 0 is a commit that is part
/// of the base. `shown` is the state after it where that is another than the recorded one, as an
/// earlier entry is skipped. `reduced` says that the state is what the store's reducer makes of the
/// action, so that it can be worked out anew.
struct Recording {
  /// 1 had no `order`.
  static let format = 2
  /// Ids and orders go no further, so that there is always a next one.
  static let lastNumber = 1 << 53

  var log: RecorderLog
  let codings: [String: any StoreCoding]

  enum Key: String, CodingKey {
    case format, position, base, entries
    case id, skipped, action, commit, pause, changes, shown
    case store, value, order, state, reduced
  }

  /// The name of a store.
  struct StoreKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func coding(of store: String) throws(RecorderError) -> any StoreCoding {
    guard let coding = codings[store] else {
      throw .unreadable(
        "It has a store \"\(store)\", which is not registered. Register it first."
      )
    }
    return coding
  }
}

extension CodingUserInfoKey {
  /// Under which a decoder is given the codings of the stores by name.
  static let storeCodings: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "StrataFlux.storeCodings") else {
      fatalError("A user info key was refused. Give it another name.")
    }
    return key
  }()
}
