import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataStorage

/// The process that has the store open.
extension Answers {
  /// What only the process knows; reads nothing of the file.
  ///
  /// Throws `.notFound` for a page of a file.
  func process() throws -> Answer {
    guard let live = reader.live else {
      throw PersistenceError(
        .inspecting,
        path: reader.path,
        .notFound("process: this page reads the file alone")
      )
    }
    let subscribers = live.subscribers()
    var answer = Answer(
      RowText(
        [
          .init("kind"), .init("source"), .init("type"), .init("values", .numbers),
          .init("subscribers", .numbers), .init("dependents", .numbers),
        ],
        (subscribers?.groups ?? []).prefix(Self.mostGroups).map { group in
          [
            .text(group.kind.rawValue), .text(group.source), .text(group.type),
            .number(Int64(group.values)), .number(Int64(group.subscribers)),
            .number(Int64(group.dependents)),
          ]
        }
      )
    )
    answer.add("process", ProcessInfo.processInfo.processName)
    answer.add("id", Int64(ProcessInfo.processInfo.processIdentifier))
    if let subscribers {
      answer.add(
        "store",
        encoding: StoreReport(
          name: subscribers.store,
          version: subscribers.version,
          waiting: subscribers.waiting,
          isBehind: subscribers.isBehind
        )
      )
    }
    if let status = live.status() {
      answer.add("writer", encoding: WriterReport(status, redactor))
    }
    return answer
  }

  /// How many kinds of followed values are listed.
  private static let mostGroups = 500

  private struct StoreReport: Encodable {
    let name: String
    let version: UInt64
    let waiting: Int
    let isBehind: Bool
  }
}

/// What a `PersistenceStatus` says, as JSON.
private struct WriterReport: Encodable {
  struct Queue: Encodable {
    let commits: Int
    let entities: Int
    let capacity: Int
  }

  struct Revisions: Encodable {
    let committed: Int64
    let written: Int64
    let durable: Int64
    let replicated: Int64?
  }

  struct Failure: Encodable {
    let message: String
    let time: Date
  }

  struct NotPersisted: Encodable {
    let table: String
    let id: String
    let reason: String
  }

  /// Whether commits reach the file, as a sentence.
  let condition: String
  let isHealthy: Bool
  let queue: Queue
  let revisions: Revisions
  let lastSync: Date?
  let lastFailure: Failure?
  let notPersisted: [NotPersisted]
  /// How many more entities are only in memory.
  let moreNotPersisted: Int
  let pinnedWAL: String?
  let heldTimes: String?
  let archive: String?

  /// How many entities that are only in memory are named.
  private static let mostNamed = 50
  private static let leftOut = "left out, because values are replaced"

  /// Errors of a program's own code may contain values, so they are left out where values are replaced.
  init(_ status: PersistenceStatus, _ redactor: Redactor) {
    condition = "\(status.condition)"
    isHealthy = status.condition == .healthy
    queue = Queue(
      commits: status.queue.commits,
      entities: status.queue.entities,
      capacity: status.queue.capacity
    )
    revisions = Revisions(
      committed: status.revisions.committed.number,
      written: status.revisions.written.number,
      durable: status.revisions.durable.number,
      replicated: status.revisions.replicated?.number
    )
    lastSync = status.lastSync
    lastFailure = status.lastFailure.map {
      Failure(message: redactor.isActive ? Self.leftOut : $0.message, time: $0.time)
    }
    notPersisted = status.notPersisted.prefix(Self.mostNamed).map {
      NotPersisted(table: $0.table, id: $0.id, reason: redactor.isActive ? Self.leftOut : $0.reason)
    }
    moreNotPersisted = max(0, status.notPersisted.count - Self.mostNamed)
    pinnedWAL = status.pinnedWAL.map { "\($0)" }
    heldTimes = status.heldTimes.map { "\($0)".sentence }
    let parts = status.parts.sentences()
    archive = parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
