import StrataJournal

extension EntityHistory {
  /// A row for each field that changed, and one for a version in which none did.
  package var rows: RowText {
    RowText(
      [
        .init("revision", .numbers), .init("time", .whole), .init("commit"), .init("place"),
        .init("context"), .init("operation"), .init("field"), .init("from"), .init("to"),
      ],
      versions.flatMap { version in
        let commit =
          CommitText.cells(version.commit, orAt: 0) + [.text(version.operation.rawValue)]
        if version.changes.isEmpty { return [commit + [.none, .none, .none]] }
        return version.changes.map { change in
          commit + [
            .text(change.field), change.from.map { .value($0) } ?? .none,
            change.to.map { .value($0) } ?? .none,
          ]
        }
      }
    )
  }
}
