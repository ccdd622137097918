/// An entry to come: what a dispatch under way has done by now, or a pause.
struct RecorderDraft: Sendable {
  /// The dispatch; nil for a pause.
  let transaction: String?
  let origin: RecorderEntry.Origin
  /// In the order of the commits.
  var changes: [RecordedChange]

  var isEmpty: Bool { changes.isEmpty }
}
