package import StrataRecords

extension SearchPage {
  /// Whether rows name the commits that put the text there.
  package enum Commits: Sendable {
    case withCommits, withoutCommits
  }

  /// A row for each hit.
  ///
  /// - Parameter text: The value for people.
  package func rows(_ commits: Commits, text: (RecordValue) -> String) -> RowText {
    RowText(
      [.init("table"), .init("id", .whole), .init("field"), .init("value")]
        + (commits == .withCommits ? CommitText.columns : []),
      hits.map { hit in
        [
          .text(hit.table), hit.id.map { .value($0) } ?? .none, .text(hit.field),
          .json(hit.value.json(), text: text(hit.value)),
        ] + (commits == .withCommits ? CommitText.cells(hit.commit, orAt: oldest) : [])
      }
    )
  }
}
