#if Postgres
  import CStrataPostgres
  import StrataArchiving

  /// A parameter of a statement, in PostgreSQL's binary form.
  enum PostgresValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case texts([String])
    case byteStrings([[UInt8]])

    /// The number of its type (`pg_type.dat`).
    var type: Oid {
      switch self {
      case .integer: 20
      case .text: 25
      case .bytes: 17
      case .texts: 1009
      case .byteStrings: 1001
      }
    }

    /// Its bytes; nil for NULL.
    var bytes: [UInt8]? {
      switch self {
      case .integer(let value): Self.bytes(value)
      case .text(let text): Array(text.utf8)
      case .bytes(let bytes): bytes
      case .texts(let texts): Self.array(of: 25, texts.map { Array($0.utf8) })
      case .byteStrings(let strings): Self.array(of: 17, strings)
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
  }
#endif
