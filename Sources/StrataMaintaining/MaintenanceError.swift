package import StrataJournal

/// Why a file is not rewritten as it was asked for: nothing was changed.
package enum MaintenanceError: FeatureError {
  /// Entities that are to be erased are still in the database. The first of them is named.
  case stillPresent(table: String, id: String)
  /// Other entities refer to entities that are to be erased. The first of them is named.
  case stillReferenced(table: String, id: String, by: String, count: Int)
  /// Commits are not undone, because of what refuses it, else of what other commits have changed since.
  case notUndone(refused: [String], conflicts: [String])
  /// A field cannot be replaced in a bundle.
  case notRedactable(field: String, detail: String)

  package var sentence: String {
    switch self {
    case .stillPresent(let table, let id): "the entity \(id) of table \(table) is in the database"
    case .stillReferenced(let table, let id, let other, let count):
      """
      \(Measures.count(count, "entity refers", "entities refer")) to the entity \(id) of table \(table), \
      such as \(other)
      """
    case .notUndone(let refused, let conflicts):
      "the commits are not undone: \((refused.isEmpty ? conflicts : refused).joined(separator: "; "))"
    case .notRedactable(let field, let detail): "the field \(field) cannot be replaced: \(detail)"
    }
  }

  package func remedy(at path: String?) -> String {
    switch self {
    case .stillPresent: "Remove it in a commit first. Nothing was erased."
    case .stillReferenced:
      """
      Change or remove these first, or allow references that lead nowhere (`--leave-references`). Nothing \
      was erased.
      """
    case .notUndone(let refused, _) where !refused.isEmpty: "Nothing was changed."
    case .notUndone:
      """
      Undo those commits too, leave what they have written (`in:`), or take it back (`.overwrite`). Nothing was changed.
      """
    case .notRedactable: "`strata schema` lists the fields. Nothing was written."
    }
  }

  package var kind: PersistenceError.Kind { .refused }

  package var programRemedy: PersistenceError.Remedy {
    switch self {
    case .stillPresent, .stillReferenced, .notUndone: .repair
    case .notRedactable: .fixProgram
    }
  }
}
