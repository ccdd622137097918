import Foundation

/// Reads the records of CSV as RFC 4180 has it; line breaks may be CRLF, LF or CR.
package struct CSVReader {
  /// A record, and the line on which it starts.
  package struct Record: Equatable, Sendable {
    package let line: Int
    package let cells: [String]

    package init(line: Int, cells: [String]) {
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

  private var bytes: ArraySlice<UInt8>
  private var line = 1

  package init(_ bytes: [UInt8]) {
    // The mark that some programs put before UTF-8.
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
  }

  /// The next record that is not an empty line; nil at the end.
  package mutating func next() throws(Malformed) -> Record? {
    while bytes.first == 0x0A || bytes.first == 0x0D { takeLineBreak() }
    guard !bytes.isEmpty else { return nil }
    let start = line
    var cells: [String] = []
    while true {
      cells.append(try bytes.first == 0x22 ? quotedCell() : plainCell())
      switch bytes.first {
      case 0x2C: bytes.removeFirst()
      case nil: return Record(line: start, cells: cells)
      case 0x0A, 0x0D:
        takeLineBreak()
        return Record(line: start, cells: cells)
      default: throw Malformed(line: line, detail: "there is text after a quoted cell")
      }
    }
  }

  private mutating func takeLineBreak() {
    let first = bytes.popFirst()
    if first == 0x0D, bytes.first == 0x0A { bytes.removeFirst() }
    line += 1
  }

  private mutating func plainCell() throws(Malformed) -> String {
    let end = bytes.firstIndex { [0x2C, 0x0A, 0x0D].contains($0) } ?? bytes.endIndex
    let cell = bytes[..<end]
    bytes = bytes[end...]
    guard !cell.contains(0x22) else {
      throw Malformed(line: line, detail: "a cell with a quote is not quoted")
    }
    return try text(Array(cell))
  }

  private mutating func quotedCell() throws(Malformed) -> String {
    let start = line
    var cell: [UInt8] = []
    bytes.removeFirst()
    while let byte = bytes.popFirst() {
      if byte == 0x22 {
        guard bytes.first == 0x22 else { return try text(cell) }
        bytes.removeFirst()
      } else if byte == 0x0A || byte == 0x0D && bytes.first != 0x0A {
        line += 1
      }
      cell.append(byte)
    }
    throw Malformed(line: start, detail: "a quoted cell does not end")
  }

  private func text(_ bytes: [UInt8]) throws(Malformed) -> String {
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw Malformed(line: line, detail: "a cell is not UTF-8")
    }
    return text
  }
}
