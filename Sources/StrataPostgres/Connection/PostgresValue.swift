#if Postgres
  import CStrataPostgres
  import Foundation
  import StrataBase
  import StrataArchiving
  import StrataJournal

  /// A parameter of a statement, in PostgreSQL's binary form.
  enum PostgresValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case uuid(UUID)
    case texts([String])
    case integers([Int64])
    case byteStrings([[UInt8]])
    case noText
    case noBytes

    /// The number of its type (`pg_type.dat`).
    var type: Oid {
      switch self {
      case .integer: 20
      case .text, .noText: 25
      case .bytes, .noBytes: 17
      case .uuid: 2950
      case .texts: 1009
      case .integers: 1016
      case .byteStrings: 1001
      }
    }

    /// Its bytes; nil for NULL.
    var bytes: [UInt8]? {
      switch self {
      case .integer(let value): Self.bytes(value)
      case .text(let text): Array(text.utf8)
      case .bytes(let bytes): bytes
      case .uuid(let id): id.byteArray
      case .texts(let texts): Self.array(of: 25, texts.map { Array($0.utf8) })
      case .integers(let values): Self.array(of: 20, values.map { Self.bytes($0) })
      case .byteStrings(let strings): Self.array(of: 17, strings)
      case .noText, .noBytes: nil
      }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// An array of one dimension: dimensions, whether there are NULLs, the type, the count and first index, then
    /// each element after its size (`array_recv`).
    private static func array(of type: Int32, _ elements: [[UInt8]]) -> [UInt8] {
      guard !elements.isEmpty else { return bytes(Int32(0)) + bytes(Int32(0)) + bytes(type) }
      var array = [Int32(1), 0, type, Int32(elements.count), 1].flatMap { bytes($0) }
      array.reserveCapacity(elements.reduce(array.count) { $0 + $1.count + 4 })
      for element in elements {
        array += bytes(Int32(element.count))
        array += element
      }
      return array
    }
  }

  /// A row of a result, in PostgreSQL's binary form.
  ///
  /// A server may send anything, so each field is checked.
  struct PostgresRow {
    let fields: [[UInt8]?]

    /// Whether a field is not NULL.
    func has(_ index: Int) -> Bool { index < fields.count && fields[index] != nil }

    func bytes(_ index: Int) throws(ArchiveError.Reason) -> [UInt8] {
      guard index < fields.count, let bytes = fields[index] else {
        throw .damaged("column \(index) of a row has no value")
      }
      return bytes
    }

    func integer(_ index: Int) throws(ArchiveError.Reason) -> Int64 {
      let bytes = try self.bytes(index)
      guard bytes.count == 8 else {
        throw .damaged("a number has \(bytes.count) bytes, it must have 8")
      }
      return Int64(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    func text(_ index: Int) throws(ArchiveError.Reason) -> String {
      let bytes = try self.bytes(index)
      let text = String(decoding: bytes, as: UTF8.self)
      // What is not UTF-8 was replaced.
      guard text.utf8.elementsEqual(bytes) else { throw .damaged("a text is not UTF-8") }
      return text
    }

    func uuid(_ index: Int) throws(ArchiveError.Reason) -> UUID {
      let bytes = try self.bytes(index)
      guard let id = UUID(byteArray: bytes) else {
        throw .damaged("a UUID has \(bytes.count) bytes, it must have 16")
      }
      return id
    }

    /// The mark of a revision and a chain.
    func mark(_ revision: Int, _ chain: Int) throws(ArchiveError.Reason) -> HistoryMark {
      let mark = HistoryMark(
        revision: Revision(try integer(revision)),
        chain: try bytes(chain).hexadecimal
      )
      guard mark.isWellFormed else { throw .damaged("\(mark) is no place of a history") }
      return mark
    }
  }

  extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
      map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    /// Reads digits that ``hexadecimal`` has written, which the caller has checked.
    init(hexadecimal digits: String) {
      let values = digits.utf8.map { $0 < 0x40 ? $0 &- 0x30 : $0 &- 0x57 }
      self = stride(from: 0, to: values.count - 1, by: 2).map {
        values[$0] << 4 | values[$0 + 1] & 15
      }
    }
  }
#endif
