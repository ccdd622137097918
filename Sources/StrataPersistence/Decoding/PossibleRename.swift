import StrataBase
import StrataRecords

/// A field that may be another one under a new name.
///
/// A field that was renamed without a migration looks like this: stored records have one that the type does not know, and
/// lack one of the same kind that the type takes from its defaults.
struct PossibleRename: Hashable, Sendable {
  /// The field of stored records that the type does not know.
  let unknown: String
  /// The field that these records lack, and that is read from the defaults.
  let defaulted: String

  /// What a field of a layout may be called in a later one, by its name.
  static func candidates(in stored: Layout, for defaults: Layout) -> [String: [PossibleRename]] {
    let names = Set(stored.fields.map(\.name))
    let missing = defaults.fields.filter { !names.contains($0.name) }
    var candidates: [String: [PossibleRename]] = [:]
    for field in missing.isEmpty ? [] : stored.fields {
      let found = missing.filter { $0.kind == field.kind }
      if found.isEmpty { continue }
      candidates[field.name] = found.map {
        PossibleRename(unknown: field.name, defaulted: $0.name)
      }
    }
    return candidates
  }

  /// What to say of those in a table, without a full stop; nil if there are none.
  static func note(_ renames: Set<PossibleRename>, of table: String) -> String? {
    func list(_ names: [String]) -> String { Set(names).inOrder().joined(separator: ", ") }
    let first = renames.min { ($0.unknown, $0.defaulted) < ($1.unknown, $1.defaulted) }
    guard let first else { return nil }
    return """
      records of \(table) have \(list(renames.map(\.unknown))), which this build does not know, and lack \
      \(list(renames.map(\.defaulted))), which is read from the defaults; if a field was renamed, write a \
      migration with .renameField("\(first.unknown)", to: "\(first.defaulted)", in: "\(table)")
      """
  }
}
