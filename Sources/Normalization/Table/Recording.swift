/// Which IDs of a table were touched since the table was sealed.
///
/// The base is an object: its identity is unique in the process for as long as any copy of the
/// table refers to it, so two tables with one base have one common ancestor and differ at most in
/// what they touched since.
@usableFromInline
struct Recording<ID: Hashable & Sendable>: Sendable {
  @usableFromInline
  final class Base: Sendable {
    @usableFromInline init() {}
  }

  @usableFromInline let base: Base
  @usableFromInline var touched: Set<ID>

  @usableFromInline
  init() {
    base = Base()
    touched = []
  }

  /// The IDs in which two tables can differ, or nil when they have no common ancestor.
  static func touched(from old: Recording?, to new: Recording?) -> Set<ID>? {
    guard let old, let new, old.base === new.base else { return nil }
    return old.touched.isEmpty ? new.touched : new.touched.union(old.touched)
  }
}

extension EntityTable {
  @inlinable
  mutating func touch(_ id: ID) { recording?.touched.insert(id) }

  /// Forgets what was touched and starts a new base, so that the next change set starts here.
  ///
  /// Free when nothing was touched since the last time.
  package mutating func seal() {
    if let recording, recording.touched.isEmpty { return }
    recording = Recording()
  }

  /// How many IDs were touched since the last seal; nil when the table is not tracked.
  package var touchedCount: Int? { recording?.touched.count }
}
