import Foundation

/// Reads the JSON objects of a file: one on each line, or the elements of an array if the file begins with `[`.
///
/// A piece of the file and one object are in memory at a time.
struct ImportedObjects {
  /// The text of what should be an object.
  struct Object {
    let place: ImportError.Place
    let text: [UInt8]
  }

  private enum Form {
    case lines
    /// The number of the last element.
    case array(Int)
    case ended
  }

  private static let pieceSize = 1 << 16

  private let file: FileHandle
  private var piece: [UInt8] = []
  /// The place in the piece of the next byte.
  private var offset = 0
  private var line = 1
  private var form = Form.lines

  /// - Throws: what reading the file throws.
  init(reading file: FileHandle) throws {
    self.file = file
    _ = try peek()
    // The mark that some programs put before UTF-8.
    if piece.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    // An array may start on a later line; lines without text are skipped by the caller.
    try skipSpace()
    if try peek() == UInt8(ascii: "[") {
      offset += 1
      form = .array(0)
    }
  }

  /// The next object; nil at the end.
  ///
  /// - Throws: `ImportError.Line` if the array has no further element because of its form, and what reading the
  ///   file throws.
  mutating func next() throws -> Object? {
    switch form {
    case .lines: return try nextLine()
    case .array(let number): return try nextElement(number + 1)
    case .ended: return nil
    }
  }

  private mutating func peek() throws -> UInt8? {
    if offset == piece.count {
      piece = try file.read(upToCount: Self.pieceSize).map { Array($0) } ?? []
      offset = 0
    }
    return offset < piece.count ? piece[offset] : nil
  }

  private mutating func skip(_ byte: UInt8) {
    offset += 1
    if byte == 0x0A { line += 1 }
  }

  private mutating func skipSpace() throws {
    while let byte = try peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { skip(byte) }
  }

  private mutating func nextLine() throws -> Object? {
    guard try peek() != nil else { return nil }
    let place = ImportError.Place(line: line)
    var text: [UInt8] = []
    while try peek() != nil {
      guard let end = piece[offset...].firstIndex(of: 0x0A) else {
        text += piece[offset...]
        offset = piece.count
        continue
      }
      text += piece[offset..<end]
      offset = end
      skip(0x0A)
      break
    }
    return Object(place: place, text: text)
  }

  private mutating func nextElement(_ number: Int) throws -> Object? {
    try skipSpace()
    guard let byte = try peek() else { throw flaw("the array does not end") }
    if byte == UInt8(ascii: "]") {
      offset += 1
      form = .ended
      try skipSpace()
      if try peek() != nil { throw flaw("there is text after the array") }
      return nil
    }
    if number > 1 {
      guard byte == UInt8(ascii: ",") else { throw flaw("there is no comma between two objects") }
      offset += 1
      try skipSpace()
    }
    form = .array(number)
    let place = ImportError.Place(line: line, object: number)
    return Object(place: place, text: try element())
  }

  private mutating func flaw(_ detail: String) -> ImportError.Line {
    form = .ended
    return ImportError.Line(place: ImportError.Place(line: line), detail: detail)
  }

  /// The text of an element, without knowing what it is: an object or array, or all before a comma or the end.
  private mutating func element() throws -> [UInt8] {
    var text: [UInt8] = []
    var depth = 0
    var isText = false
    var isEscaped = false
    while let byte = try peek() {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: ",") where depth == 0: return text
        case UInt8(ascii: "]") where depth == 0: return text
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          guard depth > 0 else {
            offset += 1
            return text + [byte]
          }
        default: break
        }
      }
      text.append(byte)
      skip(byte)
    }
    return text
  }
}
