import StrataCore
import StrataNormalization

extension WriterSession {
  /// Makes tables known to the file that a build added, with what the initial state put into them:
  /// as one delta, or as none where they are empty.
  func introduce<Database: DatabaseType>(
    _ names: [String],
    of database: Database,
    time: Int64
  ) throws {
    guard !names.isEmpty else { return }
    let all = ChangeSet(from: Database(), to: database)
    let changes = all.filter { names.contains($0.text) }
    var group: [PendingDelta] = []
    if !changes.isEmpty {
      let revision = written.revision.next
      let delta = PendingDelta(
        first: revision,
        revision: revision,
        time: time,
        trace: CommitTrace(
          name: "new tables: \(names.joined(separator: ", "))",
          fileID: #fileID,
          function: #function,
          line: #line
        ),
        changes: changes
      )
      group.append(delta)
    }
    if let refused = try append(group, newTables: names).first {
      throw DamageFound("the initial state of a new table cannot be encoded: \(refused.entity)")
    }
    try barrier()
  }
}
