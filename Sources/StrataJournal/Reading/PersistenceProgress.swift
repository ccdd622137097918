/// The progress of a long operation on the file, for a progress bar.
///
/// ```swift
/// var configuration = PersistenceConfiguration()
/// configuration.progress = { progress in bar.show(progress.activity, progress.fraction) }
/// ```
public struct PersistenceProgress: Sendable, Equatable {
  /// What is being done.
  public enum Activity: Sendable {
    /// Opening reads and verifies the deltas after the newest snapshot.
    case replaying
    /// Opening reads and verifies entities.
    case loading
    /// The writer writes a snapshot and reads it back, between groups of commits.
    case snapshotting
  }

  /// What is being done.
  public let activity: Activity
  /// How many deltas or entities are done; it never decreases within one activity.
  public let done: Int
  /// How many there are, as far as is known; `done` reaches this number.
  public let total: Int

  /// From 0 to 1.
  public var fraction: Double { total == 0 ? 1 : Double(done) / Double(total) }
}

/// Reports the progress of an operation about a hundred times, however long it is.
package struct ProgressMeter: Sendable {
  private let callback: @Sendable (PersistenceProgress) -> Void
  private var activity: PersistenceProgress.Activity?
  private var total = 0
  private var lastReported = 0

  package init?(_ callback: (@Sendable (PersistenceProgress) -> Void)?) {
    guard let callback else { return nil }
    self.callback = callback
  }

  /// Starts an activity over `total` deltas or entities.
  package mutating func begin(_ activity: PersistenceProgress.Activity, total: Int) {
    self.activity = activity
    self.total = total
    lastReported = 0
    report(0)
  }

  /// Notes how many are done.
  package mutating func note(done: Int) {
    let done = min(done, total)
    guard activity != nil, done - lastReported >= max(1, total / 100) else { return }
    report(done)
  }

  /// Ends the activity, if one was started.
  package mutating func end() {
    guard activity != nil else { return }
    if lastReported < total { report(total) }
    activity = nil
  }

  private mutating func report(_ done: Int) {
    guard let activity else { return }
    lastReported = done
    callback(PersistenceProgress(activity: activity, done: done, total: total))
  }
}
