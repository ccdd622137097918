import StrataJournal
import StrataStorage

/// A table of text with aligned columns.
///
/// It iterates over the rows once to compute the widths and once to print them, and stores no lines.
package struct TextTable<Rows: Collection<[String]>> {
  /// The title and alignment of a column.
  package struct Column: Equatable, Sendable {
    package enum Alignment: Sendable {
      case left, right
    }

    package enum Cells: Sendable {
      /// Texts, which are shortened where there is not enough room.
      case texts
      /// Numbers, IDs or times, which say nothing when they are shortened.
      case whole
    }

    package var title: String
    package var alignment: Alignment
    package var cells: Cells

    package init(_ title: String, _ alignment: Alignment = .left, _ cells: Cells = .texts) {
      self.title = title
      self.alignment = alignment
      self.cells = cells
    }
  }

  /// The widest cell of numbers, IDs and times that is not shortened: a UUID has 36 columns.
  private static var widestWhole: Int { 40 }
  /// Where cells are not shortened, the widest one that the others of its column are aligned with.
  private static var widestAligned: Int { 120 }

  package let rows: Rows
  private let columns: [Column]
  private let widths: [Int]
  private let isFitted: Bool

  /// Creates a table whose cells are shortened, the longest first, until its lines fit `limit` columns.
  ///
  /// Titles are not shortened, nor are cells that must be whole. Without a limit, none are.
  ///
  /// A row may have fewer cells than there are columns. O(cells).
  package init(_ columns: [Column], _ rows: Rows, within limit: Int) {
    self.columns = columns
    self.rows = rows
    isFitted = limit < Terminal.unlimited
    var natural = columns.map { $0.title.printable.columnCount }
    for row in rows {
      for (index, cell) in row.enumerated().prefix(columns.count) {
        natural[index] = max(natural[index], cell.shortened(to: limit).columnCount)
      }
    }
    widths = Self.widths(columns, natural, within: limit)
  }

  private static func widths(_ columns: [Column], _ natural: [Int], within limit: Int) -> [Int] {
    // One very long cell does not make every line as long as itself.
    if limit >= Terminal.unlimited { return natural.map { min($0, widestAligned) } }
    let least = zip(columns, natural).map { column, width in
      let title = max(ColumnWidths.minimum, column.title.printable.columnCount)
      return column.cells == .whole ? max(title, min(width, widestWhole)) : title
    }
    return ColumnWidths.fitting(natural, least: least, within: limit)
  }

  /// How many of the first columns have room to be read, at least one.
  package static func readable(_ columns: [Column], widths: [Int], within limit: Int) -> Int {
    var used = -ColumnWidths.gap.count
    let fitting = zip(columns, widths).prefix { column, width in
      let title = column.title.printable.columnCount
      let least = column.cells == .whole ? widestWhole : ColumnWidths.readable
      used += ColumnWidths.gap.count + max(title, min(width, least))
      return used <= limit
    }
    return max(1, fitting.count)
  }

  /// Creates a table without rows of its own, for rows that are read again from elsewhere.
  ///
  /// - Parameter widths: The widest cell of each column.
  package init(_ columns: [Column], widths: [Int], within limit: Int) where Rows == [[String]] {
    self.columns = columns
    rows = []
    isFitted = limit < Terminal.unlimited
    let natural = zip(columns, widths).map { max($0.title.printable.columnCount, min($1, limit)) }
    self.widths = Self.widths(columns, natural, within: limit)
  }

  /// The line of titles, bold where text is highlighted.
  package func header(_ highlighting: Highlighting) -> String {
    highlighting.heading(line(columns.map(\.title.printable)))
  }

  /// The line of a row.
  package func line(_ row: [String]) -> String {
    var line = ""
    for (index, cell) in row.enumerated().prefix(columns.count) {
      let text = isFitted ? cell.shortened(to: widths[index]) : cell
      let padding = String(repeating: " ", count: max(0, widths[index] - text.columnCount))
      if index > 0 { line += ColumnWidths.gap }
      line += columns[index].alignment == .left ? text + padding : padding + text
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

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
