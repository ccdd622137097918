/// Computes the widths of the columns of a table.
package enum ColumnWidths {
  static let gap = "  "
  /// A narrower cell is not readable, so a table with very many columns exceeds the limit instead.
  static let minimum = 6
  /// What a text needs to say something; of a table with more columns than have that, the last are left out.
  static let readable = 10

  /// The widths closest to the natural ones whose sum, with gaps, is at most `limit`.
  ///
  /// Wide columns are reduced to a common width before narrow ones are reduced, and no column below its
  /// least width, whatever the limit is.
  ///
  /// - Parameter least: For each column, what it needs to be understood; ``minimum`` where it is not said.
  package static func fitting(
    _ natural: [Int],
    least: [Int] = [],
    within limit: Int
  ) -> [Int] {
    func width(_ column: Int, _ common: Int) -> Int {
      let least = least.indices.contains(column) ? least[column] : minimum
      return min(natural[column], max(common, least))
    }
    let available = limit - gap.count * max(0, natural.count - 1)
    var low = minimum
    var high = max(minimum, natural.max() ?? 0)
    while low < high {
      let middle = (low + high + 1) / 2
      if natural.indices.reduce(0, { $0 + width($1, middle) }) <= available {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return natural.indices.map { width($0, low) }
  }
}
