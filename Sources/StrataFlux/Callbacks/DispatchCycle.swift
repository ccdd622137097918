/// The bookkeeping of one dispatch: who is running inside whom, and who is done.
///
/// It decides and never calls anything. A dispatch starts with a new one and drops it at the end,
/// so nothing is left to reset, whichever way the dispatch ended.
struct DispatchCycle<Payload> {
  enum Standing {
    case pending
    case running
    case handled
    case failed(any Error)
  }

  let payload: Payload

  /// The running callbacks, each started by the one before it; the numbers in it are `running` in
  /// `standings`, and no others are.
  private(set) var path: [DispatchToken] = []
  private var standings: [Int: Standing] = [:]

  init(payload: Payload) {
    self.payload = payload
  }

  func standing(of token: DispatchToken) -> Standing {
    standings[token.number] ?? .pending
  }

  /// The way from a running callback through everything it waits for back to itself.
  func circle(closedBy token: DispatchToken) -> [DispatchToken] {
    let start = path.firstIndex(of: token) ?? path.endIndex
    return path[start...] + [token]
  }

  mutating func begin(_ token: DispatchToken, limit: Int) throws(FluxError) {
    guard path.count < limit else { throw .waitTooDeep(refused: token, limit: limit) }
    path.append(token)
    standings[token.number] = .running
  }

  mutating func end(_ token: DispatchToken, as standing: Standing) {
    path.removeLast()
    standings[token.number] = standing
  }
}
