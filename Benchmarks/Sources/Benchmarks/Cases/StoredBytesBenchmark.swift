import Foundation
import Strata

/// The size of a user in a file.
struct StoredBytesBenchmark: Benchmark {
  let count: Int

  let name = "stored-bytes"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    try await PersistedStore.open(folder.file("ours"), Users.make(count)).persistence.close()
    let users = Users.makePlain(count)
    let json = try JSONEncoder().encode(users).count
    let packed = users.reduce(0) { $0 + PackedUser.bytes(of: $1).count }
    let ours = Double(folder.bytes(of: "ours")) / Double(count)
    return [
      line("json", ours, "JSON without white space", Double(json) / Double(count), goal: 0.5),
      line("packed", ours, "packed fields", Double(packed) / Double(count), goal: nil),
    ]
  }

  private func line(
    _ id: String,
    _ ours: Double,
    _ peer: String,
    _ theirs: Double,
    goal: Double?
  ) -> Line {
    var pairs = Pairs()
    pairs.add(ours: ours, peer: theirs)
    return Line(
      id: "stored.bytes.\(id)",
      section: .stored,
      work: "bytes on disk per user, \(grouped(count)) users, the whole file",
      peer: peer,
      unit: .bytes,
      comparison: .cost,
      goal: goal,
      pairs: pairs
    )
  }
}
