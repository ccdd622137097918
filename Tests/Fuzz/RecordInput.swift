import StrataRecords

/// A layout and a record: two bytes with the length of the layout's body, the body, the record.
struct RecordInput {
  let bytes: [UInt8]
  private let layout: Layout
  /// Not at the start of its array, as in a file.
  private let record: ArraySlice<UInt8>

  init(_ record: [UInt8], _ layout: Layout) {
    let length = [UInt8(layout.body.count >> 8), UInt8(layout.body.count & 0xFF)]
    bytes = length + layout.body + record
    self.layout = layout
    self.record = bytes.suffix(record.count)
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let end = 2 + (Int(bytes[0]) << 8 | Int(bytes[1]))
    guard end <= bytes.count, let layout = try? Layout(body: Array(bytes[2..<end])) else {
      return nil
    }
    self.bytes = bytes
    self.layout = layout
    record = bytes[end...]
  }

  func check() {
    let error = Result { () throws(RecordError) in try layout.check(record) }.error
    checkUntyped(error)
    var types = 0
    if reads(Samples.Flat.self) { types += 1 }
    if reads(Samples.Nested.self) { types += 1 }
    if reads(Samples.Links.self) { types += 1 }
    if reads(Samples.Tree.self) { types += 1 }
    if reads(Samples.Form.self) { types += 1 }
    if reads(Samples.Dog.self) { types += 1 }
    if reads([String: Samples.JSON].self) { types += 1 }
    if reads(Samples.JSON.self) { types += 1 }
    require(types == 0 || error == nil, "a record that was read fails its check: \(error as Any)")
  }

  private func checkUntyped(_ error: RecordError?) {
    do {
      let value = try RecordValue(record: record, layout: layout)
      require(error == nil, "a value was read from a record that fails its check: \(error as Any)")
      require(!value.json().isEmpty, "a value has JSON")
      _ = value.json(.indented)
      require(value == value, "a value equals itself")
    } catch .badText {
      // Whether a text is a URL or a decimal number is no part of the check.
    } catch let failure {
      require(failure == error, "reading fails with \(failure), the check with \(error as Any)")
    }
  }

  private func reads<Value: Codable>(_ type: Value.Type) -> Bool {
    do {
      let defaults = try Samples.defaults(type)
      let value = try RecordReader(layout: layout, defaults: defaults).decode(type, from: record)
      var written: [UInt8] = []
      var writer = RecordWriter(resuming: layout)
      _ = try writer.encode(value, into: &written)
      return true
    } catch {
      return false
    }
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
