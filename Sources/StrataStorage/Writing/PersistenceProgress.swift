/// How far a long work on the file is: something to show.
///
/// ```swift
/// var configuration = PersistenceConfiguration()
/// configuration.progress = { progress in bar.show(progress.activity, progress.fraction) }
/// ```
public struct PersistenceProgress: Sendable, Equatable {
  /// What is being done.
  public enum Activity: String, Sendable, Codable {
    /// The deltas after the newest snapshot are being read and proved, at an opening.
    case replaying
    /// Entities are being read and proved, at an opening.
    case loading
    /// A snapshot is being written and read back, between the groups of the writer.
    case snapshotting
  }

  /// What is being done.
  public let activity: Activity
  /// How many deltas or entities are done; never less than before within one activity.
  public let done: Int
  /// How many there are, as far as is known; `done` reaches it.
  public let total: Int

  /// From 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(done) / Double(total) }
}

/// Tells of a work about a hundred times, however long it is.
package struct ProgressMeter: Sendable {
  private let tell: @Sendable (PersistenceProgress) -> Void
  private var activity: PersistenceProgress.Activity?
  private var total = 0
  private var told = 0

  package init?(_ tell: (@Sendable (PersistenceProgress) -> Void)?) {
    guard let tell else { return nil }
    self.tell = tell
  }

  /// Begins a work of so many deltas or entities.
  package mutating func begin(_ activity: PersistenceProgress.Activity, total: Int) {
    self.activity = activity
    self.total = total
    told = 0
    report(0)
  }

  /// Takes note that so many are done.
  package mutating func note(done: Int) {
    let done = min(done, total)
    guard activity != nil, done - told >= max(1, total / 100) else { return }
    report(done)
  }

  /// Ends the work, if one was begun.
  package mutating func end() {
    guard activity != nil else { return }
    if told < total { report(total) }
    activity = nil
  }

  private mutating func report(_ done: Int) {
    guard let activity else { return }
    told = done
    tell(PersistenceProgress(activity: activity, done: done, total: total))
  }
}
