import Strata

/// An entity whose encoding throws if its text is `unwritable`.
struct Note: EntityType {
  struct EncodingRefused: Error {}

  static let tableName: TableName = "notes"
  let id: EntityID<Note>
  var text: String

  private enum CodingKeys: String, CodingKey { case id, text }

  func encode(to encoder: any Encoder) throws {
    guard text != "unwritable" else { throw EncodingRefused() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(text, forKey: .text)
  }
}
