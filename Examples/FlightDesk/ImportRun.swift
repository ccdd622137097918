import Strata

/// Imports missing entities in small commits, with a flush after every 20 commits.
struct ImportRun {
  let service: ImportService
  let batchSize: Int
  let pause: Duration
  let flush: () async throws -> Void

  private let commitsPerFlush = 20
  private var commits = 0

  init(
    service: ImportService,
    batchSize: Int,
    pause: Duration,
    flush: @escaping () async throws -> Void
  ) {
    self.service = service
    self.batchSize = batchSize
    self.pause = pause
    self.flush = flush
  }

  mutating func add<Entity>(
    _ entities: [Entity],
    to table: ImportService.Table<Entity>
  ) async throws {
    let missing = service.missing(entities, in: table)
    for start in stride(from: 0, to: missing.count, by: batchSize) {
      service.add(missing[start...].prefix(batchSize), to: table)
      commits += 1
      if commits.isMultiple(of: commitsPerFlush) { try await flush() }
      if pause > .zero { try await Task.sleep(for: pause) }
    }
  }
}
