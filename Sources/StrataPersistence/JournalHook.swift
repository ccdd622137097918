import StrataBase
import StrataCore
import StrataEntityStore
import StrataJournal
import StrataNormalization
import StrataStorage

/// Queues the change set of every commit for the writer, with the persisted values that it changed.
final class JournalHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// The store holds the hook, and so keeps its persistence alive.
  private let persistence: Persistence<State, Database>
  private let changes: CommitAttachmentKey<ChangeSet>
  private let values = CommitAttachmentKey<[any AnyTableChanges]>()

  init(persistence: Persistence<State, Database>, changes: CommitAttachmentKey<ChangeSet>) {
    self.persistence = persistence
    self.changes = changes
  }

  func commitWillBegin() { persistence.writer.queue.waitForRoom() }

  func editDidEnd(_ edit: inout Edit<State>) throws {
    if !persistence.values.isEmpty { compareValues(&edit) }
    guard changesFile(edit) else { return }
    if let refusal = persistence.writer.queue.refusal {
      throw PersistenceError(.appending, path: persistence.path, refusal)
    }
  }

  private func compareValues(_ edit: inout Edit<State>) {
    let changed = [any AnyTableChanges](persistence.values, from: edit.previous, to: edit.state)
    if !changed.isEmpty { edit.attachments[values] = changed }
  }

  /// The changes of the commit to the tables that are stored.
  private func tableChanges(_ edit: Edit<State>) -> ChangeSet {
    guard let changes = edit.attachments[changes] else { return ChangeSet() }
    if persistence.policy.excluded.isEmpty { return changes }
    return changes.filter(persistence.policy.stores)
  }

  private func changesFile(_ edit: Edit<State>) -> Bool {
    if !tableChanges(edit).isEmpty { return true }
    return !persistence.values.isEmpty && edit.attachments[values] != nil
  }

  func commitDidHappen(_ edit: Edit<State>) {
    var changes = tableChanges(edit)
    if !persistence.values.isEmpty, let values = edit.attachments[values] {
      changes = changes.joined(by: values)
    }
    if changes.isEmpty { return }
    let trace = edit.trace
    let revision = persistence.writer.queue.add(
      DatabaseChanges(
        changes: changes,
        fields: unknownFields(of: changes, in: edit),
        policy: persistence.policy
      ),
      name: trace.name,
      trace.source,
      context: trace.context.map {
        PendingCommitContext(
          context: $0,
          redaction: persistence.writer.configuration.commitContexts.redaction,
          mayHoldSecrets: persistence.policy.hasTransforms
        )
      }
    )
    edit.attachments[CommitRevision.key]?.set(revision.number)
    if persistence.keepsRecentStates { keep(edit, changes, at: revision) }
  }

  /// The fields of the put entities that this build does not know.
  private func unknownFields(of changes: ChangeSet, in edit: Edit<State>) -> PutFields {
    persistence.carried.withLock { carried in
      let restored = edit.attachments[CarriedFields.restored]
      let returned = edit.attachments[CarriedFields.returned]
      if carried.isEmpty, restored?.isEmpty ?? true, returned?.isEmpty ?? true {
        return PutFields()
      }
      let isUndo = edit.attachments[UndoMove.key] != nil
      return carried.follow(changes, isUndo: isUndo, restoring: restored, returning: returned)
    }
  }

  private func keep(_ edit: Edit<State>, _ changes: ChangeSet, at revision: Revision) {
    let database = edit.state[keyPath: persistence.database]
    let values = persistence.values.isEmpty ? ChangeSet() : changes.values
    let time = persistence.writer.configuration.now()
    persistence.recent.withLock {
      $0.add(database, at: revision, changes: changes.count, values: values, time) {
        changes.inverted(in: edit.previous[keyPath: persistence.database])
      }
    }
  }
}
