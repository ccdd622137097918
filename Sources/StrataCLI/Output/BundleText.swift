import StrataJournal
import StrataStorage

/// The output of `strata bundle`.
enum BundleText {
  /// A report as JSON.
  struct Summary: Encodable {
    let base: Int64
    let last: Int64
    let deltas: Int
    let entities: Int
    let replacedValues: Int
    let bytes: Int64

    init(_ report: StoreBundle.Report) {
      base = report.base.number
      last = report.last.number
      deltas = report.deltas
      entities = report.entities
      replacedValues = report.replacedValues
      bytes = report.bytes
    }
  }

  /// What the bundle has, and what was replaced.
  static func lines(_ report: StoreBundle.Report, _ path: String) -> [String] {
    let deltas = Measures.count(report.deltas, "delta", "deltas")
    let entities = Measures.count(report.entities, "entity", "entities")
    return [
      """
      \(path.printable) has \(deltas), revisions \(report.base.number + 1) to \(report.last), on \
      \(entities) of revision \(report.base).
      """,
      """
      \(Measures.count(report.replacedValues, "value was", "values were")) replaced. The file has \
      \(Measures.size(report.bytes)).
      """,
    ]
  }
}
