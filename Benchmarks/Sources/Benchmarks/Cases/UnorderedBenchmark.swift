import Foundation
import Strata

/// Writing entities with sets, whose elements are put in order, compared with the same elements in lists.
struct UnorderedBenchmark: Benchmark {
  let count: Int

  let name = "unordered"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let sets = try await PersistedLabels<LabelSet>.open(folder.file("sets.strata"))
    let lists = try await PersistedLabels<LabelList>.open(folder.file("lists.strata"))
    let pairs = try await plan.rounds.alternate(
      ours: { try await sets.write(count) },
      peer: { try await lists.write(count) }
    )
    try await sets.persistence.close()
    try await lists.persistence.close()
    return [
      Line(
        id: "written.unordered",
        section: .written,
        work: "commit and flush of \(grouped(count)) entities with a set of 8 texts",
        peer: "the same with a list",
        comparison: .cost,
        goal: 1.5,
        pairs: pairs
      )
    ]
  }
}

/// The labels of an entity, as a collection of one kind.
protocol Labels: Codable, Equatable, Sendable {
  init(_ labels: [String])
}

typealias LabelSet = Set<String>
typealias LabelList = [String]

extension Set<String>: Labels {}
extension [String]: Labels {}

struct Labelled<Kind: Labels>: EntityType {
  typealias RawID = Int64
  static var tableName: TableName { "labelled" }

  let id: EntityID<Labelled>
  var labels: Kind
}

struct LabelState<Kind: Labels>: StateType {
  struct Database: DatabaseType {
    var labelled = EntityTable<Labelled<Kind>>()

    static var schema: DatabaseSchema<Database> { DatabaseSchema { Entities(\.labelled) } }
  }

  var db = Database()
}

private struct PersistedLabels<Kind: Labels> {
  let store: Store<LabelState<Kind>, Never>
  let persistence: Persistence<LabelState<Kind>, LabelState<Kind>.Database>

  static func open(_ path: String) async throws -> PersistedLabels {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LabelState<Kind>(),
      database: \.db
    )
    return PersistedLabels(store: Store(persistence), persistence: persistence)
  }

  /// Replaces all entities; returns the nanoseconds for each.
  func write(_ count: Int) async throws -> Double {
    let entities = (0..<count).map { number in
      Labelled<Kind>(
        id: EntityID(Int64(number)),
        labels: Kind((0..<8).map { "label \(number &* 31 &+ $0 &* 7)" })
      )
    }
    return try await nanoseconds(per: count) {
      store.commit { $0.db.labelled.insert(contentsOf: entities) }
      try await persistence.flush()
    }
  }
}
