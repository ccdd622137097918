extension StateDifference {
  /// A row for each field that differs.
  package var rows: RowText {
    RowText(
      [.init("table"), .init("id"), .init("change"), .init("field"), .init("from"), .init("to")],
      entities.flatMap { entity in
        entity.fields.map { field in
          [
            .text(entity.table), entity.id.map { .value($0) } ?? .none,
            .text(entity.kind.rawValue), .text(field.field), field.from.map { .value($0) } ?? .none,
            field.to.map { .value($0) } ?? .none,
          ]
        }
      }
    )
  }
}
