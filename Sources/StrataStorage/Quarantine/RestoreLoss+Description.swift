import StrataJournal

extension RestoreLoss: CustomStringConvertible {
  /// What is missing, why, and where the damaged files are, in a few sentences.
  public var description: String {
    var sentences: [String] = []
    if let damage { sentences.append("the file was damaged: \(damage)".sentence) }
    if let revisions {
      sentences.append(
        revisions.lowerBound == revisions.upperBound
          ? "Revision \(revisions.lowerBound) is lost."
          : "The revisions \(revisions.lowerBound) to \(revisions.upperBound) are lost."
      )
    }
    for range in missing {
      let entities = Measures.count(range.count, "entity", "entities")
      sentences.append(
        "\(entities) of \(StoredValues.title(ofTable: range.table)) from \(range.firstID) on are lost."
      )
    }
    if let quarantine {
      sentences.append("The damaged files are in \(quarantine.directory).")
    }
    if undecodableCount > 0 { sentences.append(undecodableSentence) }
    return sentences.joined(separator: " ")
  }

  private var undecodableSentence: String {
    let shown = undecodable.prefix(5)
    var listed = shown.map { record in
      StoredValues.name(ofTable: record.table).map {
        "value \($0) (\(record.detail.withoutFullStop))"
      }
        ?? "\(record.table) \(record.id) (\(record.detail.withoutFullStop))"
    }
    if undecodableCount > shown.count {
      listed.append("and \(undecodableCount - shown.count) more")
    }
    return """
      \(Measures.count(undecodableCount, "record", "records")) could not be read as this build's types, \
      and stayed in the file: \(listed.joined(separator: ", ")).
      """
  }
}
