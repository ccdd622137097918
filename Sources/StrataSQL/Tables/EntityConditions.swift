import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

extension EntityFilter {
  /// The entities whose ID may meet these conditions on its column.
  ///
  /// SQLite tests the conditions again, so there may be more entities than meet them. A condition whose
  /// values SQLite would convert before the comparison narrows nothing.
  init(_ conditions: [Condition], ofIDKind kind: ColumnKind) {
    for condition in conditions where condition.comparison == .equal {
      if let ids = Self.ids(equalTo: condition.values, kind) {
        self = .ids(ids)
        return
      }
    }
    var (from, through): ([UInt8]?, [UInt8]?) = (nil, nil)
    for condition in conditions {
      guard let bound = condition.values.first.flatMap({ Self.bound($0, kind) }) else { continue }
      switch condition.comparison {
      case .greater, .greaterOrEqual: from = from.map { Self.later($0, bound) } ?? bound
      case .less, .lessOrEqual: through = through.map { Self.earlier($0, bound) } ?? bound
      case .equal, .other: continue
      }
    }
    guard let idKind = (from ?? through)?.first else {
      self = .all
      return
    }
    self = .range(kind: idKind, from: from, through: through)
  }

  /// The IDs that compare as equal to one of the values; nil if they cannot be listed.
  private static func ids(equalTo values: [Value], _ kind: ColumnKind) -> Set<[UInt8]>? {
    var ids: Set<[UInt8]> = []
    for value in values {
      switch (value, kind) {
      case (.null, _): continue
      case (.integer(let number), _) where kind.isIntegral:
        ids.insert(EncodedID.bytes(of: .int(number, .bits64)))
      case (.text(let text), .string), (.text(let text), .uuid):
        ids.formUnion(EncodedID.candidates(for: text))
      default: return nil
      }
    }
    return ids
  }

  /// The encoded form of a bound; nil if comparing IDs with it does not follow their order.
  private static func bound(_ value: Value, _ kind: ColumnKind) -> [UInt8]? {
    switch (value, kind) {
    case (.integer(let number), _) where kind.isIntegral:
      return EncodedID.bytes(of: .int(number, .bits64))
    case (.text(let text), .string): return EncodedID.bytes(of: .string(text))
    default: return nil
    }
  }

  private static func later(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    a.lexicographicallyPrecedes(b) ? b : a
  }

  private static func earlier(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    a.lexicographicallyPrecedes(b) ? a : b
  }
}

extension ColumnKind {
  /// Whether it holds integers up to `Int64.max`.
  fileprivate var isIntegral: Bool { affinity == .integer && self != .boolean && self != .decimal }
}
