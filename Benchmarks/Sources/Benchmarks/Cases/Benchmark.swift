/// A benchmark, which runs in processes of its own: the state of the heap changes results by more than most
/// improvements do.
protocol Benchmark: Sendable {
  /// Its name for `--only` and for the child process.
  var name: String { get }

  func run(_ plan: Plan) async throws -> [Line]
}
