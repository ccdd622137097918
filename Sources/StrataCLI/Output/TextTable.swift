/// Rows of cells under titles, in aligned columns.
///
/// The rows are gone through once for the widths and once more for printing; no line is kept.
package struct TextTable<Rows: Collection<[String]>> {
  /// The title of a column, and on which side its cells stand.
  package struct Column: Equatable, Sendable {
    package enum Side: Sendable {
      case left, right
    }

    package var title: String
    package var side: Side

    package init(_ title: String, _ side: Side = .left) {
      self.title = title
      self.side = side
    }
  }

  package let rows: Rows
  private let columns: [Column]
  private let widths: [Int]

  /// A table whose cells are shortened, the longest first, until its lines have `limit` columns.
  ///
  /// A row may have fewer cells than there are columns. O(cells).
  package init(_ columns: [Column], _ rows: Rows, within limit: Int) {
    self.columns = columns
    self.rows = rows
    var natural = columns.map { $0.title.printable.columnCount }
    for row in rows {
      for (index, cell) in row.enumerated().prefix(columns.count) {
        natural[index] = max(natural[index], cell.shortened(to: limit).columnCount)
      }
    }
    widths = ColumnFit.widths(natural, within: limit)
  }

  /// The line of titles.
  package var header: String { line(columns.map(\.title.printable)) }

  /// The line of a row.
  package func line(_ row: [String]) -> String {
    var line = ""
    for (index, cell) in row.enumerated().prefix(columns.count) {
      let text = cell.shortened(to: widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - text.columnCount))
      if index > 0 { line += ColumnFit.gap }
      line += columns[index].side == .left ? text + padding : padding + text
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// How wide the columns of a table may be.
package enum ColumnFit {
  static let gap = "  "
  /// Narrower than this a cell says nothing; a table of very many columns is wider than asked for.
  static let narrowest = 6

  /// The widths closest to what the columns need that add up to at most `limit`.
  ///
  /// Wide columns are cut to one width before narrow ones are touched.
  package static func widths(_ natural: [Int], within limit: Int) -> [Int] {
    let room = limit - gap.count * max(0, natural.count - 1)
    var low = narrowest
    var high = max(narrowest, natural.max() ?? 0)
    while low < high {
      let middle = (low + high + 1) / 2
      if natural.reduce(0, { $0 + min($1, middle) }) <= room {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return natural.map { min($0, low) }
  }
}
