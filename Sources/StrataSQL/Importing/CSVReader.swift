/// Reads the records of CSV as RFC 4180 has it; line breaks may be CRLF, LF or CR.
package struct CSVReader {
  /// A record, and the line on which it starts.
  package struct Record: Equatable, Sendable {
    package let line: Int
    /// Nil for an empty cell without quotes: it has no value, and one with quotes is an empty text.
    package let cells: [String?]

    package init(line: Int, cells: [String?]) {
      self.line = line
      self.cells = cells
    }
  }

  /// What is wrong with a text.
  package struct Malformed: Error, Equatable {
    package let line: Int
    package let detail: String

    package init(line: Int, detail: String) {
      self.line = line
      self.detail = detail
    }
  }

  private let bytes: [UInt8]
  /// What stands between two cells.
  private let separator: UInt8
  private var offset: Int
  private var line = 1

  package init(_ bytes: [UInt8], separator: UInt8 = 0x2C) {
    self.bytes = bytes
    self.separator = separator
    // The mark that some programs put before UTF-8.
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next byte; nil at the end.
  private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The next record that is not an empty line; nil at the end.
  package mutating func next() throws(Malformed) -> Record? {
    while byte == 0x0A || byte == 0x0D { takeLineBreak() }
    guard byte != nil else { return nil }
    let start = line
    var cells: [String?] = []
    while true {
      cells.append(try byte == 0x22 ? quotedCell() : plainCell())
      switch byte {
      case separator: offset += 1
      case nil: return Record(line: start, cells: cells)
      case 0x0A, 0x0D:
        takeLineBreak()
        return Record(line: start, cells: cells)
      default: throw Malformed(line: line, detail: "there is text after a quoted cell")
      }
    }
  }

  private mutating func takeLineBreak() {
    let first = byte
    offset += 1
    if first == 0x0D, byte == 0x0A { offset += 1 }
    line += 1
  }

  private mutating func plainCell() throws(Malformed) -> String? {
    let start = offset
    while let byte, byte != separator, byte != 0x0A, byte != 0x0D {
      guard byte != 0x22 else {
        throw Malformed(line: line, detail: "a cell with a quote is not quoted")
      }
      offset += 1
    }
    return offset == start ? nil : try text(bytes[start..<offset])
  }

  private mutating func quotedCell() throws(Malformed) -> String? {
    let start = line
    var cell: [UInt8] = []
    offset += 1
    while let byte {
      offset += 1
      if byte == 0x22 {
        guard self.byte == 0x22 else { return try text(cell[...]) }
        offset += 1
      } else if byte == 0x0A || byte == 0x0D && self.byte != 0x0A {
        line += 1
      }
      cell.append(byte)
    }
    throw Malformed(line: start, detail: "a quoted cell does not end")
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
    // Foundation would drop a mark of UTF-8 at the start of a cell.
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else {
      throw Malformed(line: line, detail: "a cell is not UTF-8")
    }
    return text
  }
}
