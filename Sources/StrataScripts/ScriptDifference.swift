import StrataSchema

/// How the text of a script differs from another, as checksums see it: without comments and insignificant spacing.
package struct ScriptDifference: Equatable, Sendable {
  /// A run of words that one text has and the other has not.
  package enum Part: Equatable, Sendable {
    case same(String)
    case removed(String)
    case added(String)
  }

  /// The parts in order; a long run of equal words is shortened to those beside a difference.
  package let parts: [Part]

  /// O(words × differences).
  package init(from old: String, to new: String) {
    let (old, new) = (NormalizedSQL(old).words, NormalizedSQL(new).words)
    let difference = new.difference(from: old)
    let removals = Set(difference.removals.map(Self.offset))
    let insertions = Set(difference.insertions.map(Self.offset))
    var parts: [Part] = []
    var (from, to) = (0, 0)
    var same: [String] = []
    while from < old.count || to < new.count {
      if !removals.contains(from), !insertions.contains(to) {
        same.append(old[from])
        (from, to) = (from + 1, to + 1)
        continue
      }
      Self.add(same, isFirst: parts.isEmpty, isLast: false, to: &parts)
      same = []
      let removed = old[from...].indices.prefix { removals.contains($0) }.map { old[$0] }
      let added = new[to...].indices.prefix { insertions.contains($0) }.map { new[$0] }
      if !removed.isEmpty { parts.append(.removed(removed.joined(separator: " "))) }
      if !added.isEmpty { parts.append(.added(added.joined(separator: " "))) }
      (from, to) = (from + removed.count, to + added.count)
    }
    Self.add(same, isFirst: parts.isEmpty, isLast: true, to: &parts)
    self.parts = parts
  }

  private static func offset(of change: CollectionDifference<String>.Change) -> Int {
    switch change {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }

  /// Up to this many equal words are shown beside a difference.
  private static let context = 6

  private static func add(
    _ same: [String],
    isFirst: Bool,
    isLast: Bool,
    to parts: inout [Part]
  ) {
    guard !same.isEmpty else { return }
    let before = isFirst ? 0 : context
    let after = isLast ? 0 : context
    if same.count <= before + after + 1 {
      parts.append(.same(same.joined(separator: " ")))
      return
    }
    let words = same.prefix(before) + ["…"] + same.suffix(after)
    parts.append(.same(words.joined(separator: " ")))
  }
}
