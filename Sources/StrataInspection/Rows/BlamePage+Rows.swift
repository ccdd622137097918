extension BlamePage {
  /// A row for each field of each entity.
  ///
  /// - Parameter place: Whether a table for people has the IDs too.
  package func rows(withIDs place: RowText.Column.Place = .everywhere) -> RowText {
    RowText(
      [.init("id", .whole, place), .init("field"), .init("value")] + CommitText.columns,
      entities.flatMap { entity in
        entity.fields.map { field in
          [entity.id.map { .value($0) } ?? .none, .text(field.name), .value(field.value)]
            + CommitText.cells(field.commit, orAt: oldest)
        }
      }
    )
  }
}
