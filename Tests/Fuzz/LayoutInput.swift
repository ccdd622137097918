import StrataRecords

/// The body of a layout.
enum LayoutInput {
  static func check(_ bytes: [UInt8]) {
    guard let layout = try? Layout(body: bytes) else { return }
    require(layout.body == bytes, "a layout has exactly one body")
    guard let again = try? Layout(layout.fields) else {
      return require(false, "the fields of a layout make a layout")
    }
    require(again == layout && again.id == layout.id, "the same fields make the same layout")
    require(!layout.fields.contains { $0.kind.description.isEmpty }, "a kind has a description")
    for reference in layout.references {
      require(!reference.path.isEmpty, "a reference is in a field")
      require(reference.description.hasSuffix("→ \(reference.table)"), "it says to which table")
    }
  }
}
