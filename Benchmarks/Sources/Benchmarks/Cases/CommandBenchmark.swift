import Strata

/// The command `strata` on a large store, as whole processes.
struct CommandBenchmark: Benchmark {
  let strata: String
  let count: Int
  let deltas: Int

  let name = "command"

  /// A question to the command, and what plain SQLite is asked instead.
  private struct Question {
    var id: String
    var work: String
    var arguments: [String]
    /// Of the exported file; nil compares with the start of the command.
    var sql: String?
    var milliseconds: Double
    var megabytes: Double?
  }

  private func questions(_ store: String) -> [Question] {
    let id = count / 3
    let old = "HEAD~\(deltas / 100)"
    func query(_ sql: String, _ more: String...) -> [String] { ["query", store, sql] + more }
    return [
      Question(
        id: "start",
        work: "start",
        arguments: ["--version"],
        milliseconds: 15
      ),
      Question(
        id: "limit",
        work: "query, LIMIT 10",
        arguments: query("SELECT * FROM users LIMIT 10"),
        sql: "SELECT * FROM users LIMIT 10",
        milliseconds: 50,
        megabytes: 40
      ),
      Question(
        id: "id",
        work: "query, WHERE id =",
        arguments: query("SELECT * FROM users WHERE id = \(id)"),
        sql: "SELECT * FROM users WHERE id = \(id)",
        milliseconds: 30
      ),
      Question(
        id: "id.old",
        work: "the same, \(grouped(deltas / 100)) deltas back",
        arguments: query("SELECT * FROM users WHERE id = \(id)", "--at", old),
        milliseconds: 300
      ),
      Question(
        id: "group",
        work: "query, GROUP BY",
        arguments: query("SELECT age, count(*) FROM users GROUP BY age"),
        sql: "SELECT age, count(*) FROM users GROUP BY age",
        milliseconds: 1_000
      ),
      Question(
        id: "join",
        work: "query, a join of two such tables",
        arguments: query(
          """
          SELECT count(*) FROM users n JOIN users_at('\(old)') o USING (id) WHERE n.age <> o.age
          """
        ),
        sql: "SELECT count(*) FROM users n JOIN users o USING (id) WHERE n.age <> o.age",
        milliseconds: 4_000,
        megabytes: 150
      ),
      Question(
        id: "blame",
        work: "blame of one user",
        arguments: ["blame", store, "users", "\(id)"],
        milliseconds: 1_000,
        megabytes: 64
      ),
      Question(
        id: "history",
        work: "history of one user",
        arguments: ["history", store, "users", "\(id)"],
        milliseconds: 1_000,
        megabytes: 64
      ),
      Question(
        id: "log",
        work: "log of the last 20",
        arguments: ["log", store, "--last", "20"],
        milliseconds: 30
      ),
      Question(
        id: "log.name",
        work: "log of a name that no commit has",
        arguments: ["log", store, "--last", "20", "--name", "nowhere"],
        milliseconds: 1_000
      ),
    ]
  }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let path = folder.file("ours.strata")
    let persisted = try await PersistedStore.open(
      path,
      Users.make(count),
      PersistenceConfiguration(snapshots: SnapshotPolicy(keepsAllHistory: true))
    )
    var numbers = RandomNumbers(below: count)
    for _ in 0..<deltas { persisted.store.commitUpdate(numbers.next()) }
    try await persisted.persistence.close()
    let file = folder.file("plain.sqlite")
    _ = try CommandRun.measure([strata, "export", path, "--sqlite", file])
    let plain = try RawSQLite(file, synchronous: "OFF")
    var all: [Line] = []
    for question in questions(path) { all += try await lines(of: question, plain, plan) }
    return all
  }

  private func lines(of question: Question, _ plain: RawSQLite, _ plan: Plan) async throws -> [Line]
  {
    var peaks = Pairs()
    let pairs = try await plan.rounds.alternate(
      ours: {
        let run = try CommandRun.measure([strata] + question.arguments)
        peaks.add(ours: run.peakBytes, peer: run.peakBytes)
        return run.nanoseconds
      },
      peer: {
        guard let sql = question.sql else {
          return try CommandRun.measure([strata, "--version"]).nanoseconds
        }
        return try nanoseconds(per: 1) { try plain.execute(sql) }
      }
    )
    let peer =
      if question.id == "start" {
        Line.itself
      } else if question.sql == nil {
        "the start of the command"
      } else {
        "plain SQLite on the exported file"
      }
    func line(_ part: String, _ unit: Line.Unit, _ limit: Double, _ pairs: Pairs) -> Line {
      Line(
        id: "command.\(question.id).\(part)",
        section: .command,
        work: part == "memory" ? "the same, the most memory" : question.work,
        peer: part == "memory" ? Line.itself : peer,
        unit: unit,
        comparison: .cost,
        limit: limit,
        pairs: pairs
      )
    }
    var lines = [line("time", .nanoseconds, question.milliseconds * 1e6, pairs)]
    if let megabytes = question.megabytes {
      lines.append(line("memory", .bytes, megabytes * 1e6, peaks))
    }
    return lines
  }
}
