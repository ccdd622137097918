import StrataJournal
import StrataRecords
import StrataSchema
import StrataStorage

/// The names that tables and fields have had.
///
/// The ledger has what each migration has renamed, and the fields from which it has made others, as their records have
/// shown it. A table that a migration has ended may be each one that it has started, where the ledger does not say it. So
/// this finds former names, and at times a field more.
struct FormerFields {
  /// A field of a table by its path in the records.
  struct Place: Hashable {
    let table: String
    let path: FieldPath
  }

  /// A table before and after a migration, with the paths that have become others.
  private struct Step {
    let before: String
    let after: String
    var fields: [(before: FieldPath, after: FieldPath)] = []
    /// Whether the other fields have kept their names.
    var isWhole = true
    /// Whether the ledger has it.
    var isListed = false
  }

  private var steps: [Step] = []
  private let catalog: LayoutCatalog

  /// Reads the ledger and the list of tables; O(migrations).
  init(in view: ReadView) throws {
    catalog = view.catalog
    let history = try DataLedger.history(on: view.journal.connection)
    for (entry, _) in history { addListed(entry.renames) }
    for end in Set(view.listed.compactMap(\.until)) { addTables(at: end, view) }
  }

  /// The fields that a field is, was and has become, itself among them.
  func all(of place: Place) -> Set<Place> {
    var found: Set<Place> = []
    var open = [(place: place, isListed: true)]
    while let (next, isListed) = open.popLast() {
      // A part of what is found is found with it.
      let isCovered = found.contains { $0.table == next.table && $0.path.covers(next.path) }
      if isCovered || next.path.isTooDeep || !isListed && !mayBeThere(next) { continue }
      found.insert(next)
      for step in steps {
        if step.before == next.table {
          open += places(of: next.path, by: step, step.fields, in: step.after)
            .map { ($0, step.isListed) }
        }
        if step.after == next.table {
          let fields = step.fields.map { (before: $0.after, after: $0.before) }
          open += places(of: next.path, by: step, fields, in: step.before)
            .map { ($0, step.isListed) }
        }
      }
    }
    return found
  }
}

extension FormerFields {
  /// The places that a path has become by a step, itself among them where the step has kept the other fields.
  private func places(
    of path: FieldPath,
    by step: Step,
    _ fields: [(before: FieldPath, after: FieldPath)],
    in table: String
  ) -> [Place] {
    var places = step.isWhole ? [Place(table: table, path: path)] : []
    for (before, after) in fields {
      if path.covers(before) {
        places.append(Place(table: table, path: after))
      } else if before.covers(path), !before.covers(after) {
        let rest = path.description.utf8.dropFirst(before.description.utf8.count)
        let part = FieldPath(after.description + String(Substring(rest)))
        // What was made of several fields has parts that none of them has.
        let place = Place(table: table, path: part)
        places.append(mayBeThere(place) ? place : Place(table: table, path: after))
      }
    }
    return places
  }

  /// Whether a layout lets a record have something at a place.
  private func mayBeThere(_ place: Place) -> Bool {
    var findings = Layout.PathFindings()
    for layout in catalog.numberedLayouts(of: place.table).values {
      layout.find(place.path, &findings)
    }
    return findings.hasValues || findings.isOpen || !findings.ids.isEmpty
  }
}

extension FieldPath {
  /// How deep a record is at most; a deeper path leads to nothing.
  private static let deepest = 64

  fileprivate var isTooDeep: Bool {
    description.utf8.count { $0 == UInt8(ascii: ".") } >= Self.deepest
  }

  /// Whether another path is this one or leads to a part of it.
  fileprivate func covers(_ other: FieldPath) -> Bool {
    other.description.utf8.starts(with: description.utf8)
      && (other.description.utf8.count == description.utf8.count
        || other.description.utf8.dropFirst(description.utf8.count).first == UInt8(ascii: "."))
  }
}

/// What migrations did.
extension FormerFields {
  /// Notes names that the ledger has.
  private mutating func addListed(_ renames: [DataLedger.Rename]) {
    let byTables = Dictionary(grouping: renames) { [$0.before.table, $0.after.table] }
    for (names, renames) in byTables {
      let fields = renames.compactMap { rename -> (before: FieldPath, after: FieldPath)? in
        guard let before = rename.before.field, let after = rename.after.field else { return nil }
        return (FieldPath(before), FieldPath(after))
      }
      let isWhole = names[0] == names[1] || fields.count < renames.count
      steps.append(
        Step(
          before: names[0],
          after: names[1],
          fields: fields + fields.compactMap { $0.before.withoutCommonEnd($0.after) },
          isWhole: isWhole,
          isListed: true
        )
      )
    }
  }

  /// Notes that each table that a migration has ended may be each one that it has started, but where the ledger says it.
  private mutating func addTables(at revision: Revision, _ view: ReadView) {
    func isKnown(_ name: KeyPath<Step, String>, _ table: String) -> Bool {
      steps.contains {
        $0.isListed && $0.isWhole && $0.before != $0.after && $0[keyPath: name] == table
      }
    }
    let ended = view.listed.filter { $0.until == revision && !isKnown(\.before, $0.name) }
    let started = view.listed.filter { $0.since == revision && !isKnown(\.after, $0.name) }
    for former in ended {
      for table in started { steps.append(Step(before: former.name, after: table.name)) }
    }
  }
}

extension FieldPath {
  /// Two paths without the names in which they end both; nil if one would be empty, or if they end differently.
  ///
  /// Where `contact.email` has become `kontakt.email`, `contact` has become `kontakt`.
  fileprivate func withoutCommonEnd(_ other: FieldPath) -> (before: FieldPath, after: FieldPath)? {
    var own = description.split(separator: ".", omittingEmptySubsequences: false)
    var others = other.description.split(separator: ".", omittingEmptySubsequences: false)
    let count = own.count
    while own.count > 1, others.count > 1, own.last == others.last {
      own.removeLast()
      others.removeLast()
    }
    if own.count == count { return nil }
    return (FieldPath(own.joined(separator: ".")), FieldPath(others.joined(separator: ".")))
  }
}
