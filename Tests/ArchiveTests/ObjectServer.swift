import Foundation
import StrataArchiving
import StrataBase
import StrataJournal
import TestSupport

/// A server of objects over HTTP, as far as an archive needs one: with the answers of S3, and its faults.
///
/// Its tags are hashes of the contents. A put in conflict with another one is refused with 409 though nothing is there; a
/// condition on a tag of an object that is not there with 404. Lists come in pages, each in any order.
final class ObjectServer: Sendable {
  enum Request: Sendable {
    case get(String)
    case put(String, [UInt8], ifMatch: String?)
    case list(String, after: String)
    case delete(String)
  }

  struct Response: Sendable {
    var status: Int
    var body: [UInt8] = []
    var tag = ""
    var time = Date.distantPast
    /// The `Date` of the answer.
    var now = Date.distantPast
    var entries: [ObjectEntry] = []
    var isTruncated = false
  }

  private struct State: Sendable {
    var objects: [String: (body: [UInt8], time: Date)] = [:]
    var shift = Duration.zero
    var random: SeededGenerator
    /// Of so many requests one fails; 0 for none.
    var faults: Int
    /// Puts that were lost on the way, and arrive later.
    var late: [Request] = []
    var loses: @Sendable (Request) -> Bool = { _ in false }
  }

  private let state: Lock<State>

  init(seed: UInt64, faults: Int = 0) {
    state = Lock(State(random: SeededGenerator(seed: seed), faults: faults))
  }

  func pass(_ duration: Duration) { state.withLock { $0.shift += duration } }

  /// Lets requests arrive late of which no answer comes.
  func lose(_ loses: @escaping @Sendable (Request) -> Bool) { state.withLock { $0.loses = loses } }

  /// Lets the requests arrive that were lost.
  func deliver() {
    state.withLock { state in
      state.loses = { _ in false }
      for request in state.late { _ = Self.answer(request, &state) }
      state.late = []
    }
  }

  /// The answer; nil if none comes.
  func send(_ request: Request) -> Response? {
    state.withLock { state in
      if state.loses(request) {
        state.late.append(request)
        return nil
      }
      guard state.faults > 0, Int.random(in: 0..<state.faults, using: &state.random) == 0 else {
        return Self.answer(request, &state)
      }
      switch (Int.random(in: 0..<3, using: &state.random), request) {
      case (0, .put): return Response(status: 409)
      case (0, _), (1, _): return Response(status: 503)
      default:
        _ = Self.answer(request, &state)
        return nil
      }
    }
  }

  private static func answer(_ request: Request, _ state: inout State) -> Response {
    let now = Scheduling.date.addingTimeInterval(state.shift / .seconds(1))
    switch request {
    case .get(let name):
      guard let object = state.objects[name] else { return Response(status: 404) }
      let tag = Checksum(of: object.body).description
      return Response(status: 200, body: object.body, tag: tag, time: object.time, now: now)
    case .put(let name, let body, nil):
      if state.objects[name] != nil { return Response(status: 412) }
      state.objects[name] = (body, now)
      return Response(status: 200, tag: Checksum(of: body).description)
    case .put(let name, let body, let tag?):
      guard let object = state.objects[name] else { return Response(status: 404) }
      guard Checksum(of: object.body).description == tag else { return Response(status: 412) }
      state.objects[name] = (body, now)
      return Response(status: 200, tag: Checksum(of: body).description)
    case .list(let prefix, let after):
      let names = state.objects.keys.filter { $0.hasPrefix(prefix) && $0 > after }.sorted()
      var page = names.prefix(3).map { name in
        let object = state.objects[name]
        return ObjectEntry(
          name: name,
          size: Int64(object?.body.count ?? 0),
          age: .seconds(now.timeIntervalSince(object?.time ?? now))
        )
      }
      page.shuffle(using: &state.random)
      return Response(status: 200, entries: page, isTruncated: names.count > 3)
    case .delete(let name):
      state.objects[name] = nil
      return Response(status: 204)
    }
  }
}

/// An archive at an ``ObjectServer``: the five operations, and nothing more.
final class ServerArchive: ObjectArchive {
  let name = "https://objects.example/app"
  let memory = ObjectMemory()
  private let server: ObjectServer

  init(_ server: ObjectServer) { self.server = server }

  private func away(_ detail: String) -> ArchiveError { ArchiveError(.away(detail), archive: name) }

  /// Sends a request that may be repeated.
  private func send(_ request: ObjectServer.Request) throws(ArchiveError) -> ObjectServer.Response {
    for _ in 0..<100 {
      if let response = server.send(request), response.status != 503 { return response }
    }
    throw away("no answer")
  }

  func get(_ name: String) throws(ArchiveError) -> ObjectContents? {
    let response = try send(.get(name))
    if response.status == 404 { return nil }
    return ObjectContents(
      body: response.body,
      tag: response.tag,
      time: response.time,
      age: .seconds(response.now.timeIntervalSince(response.time))
    )
  }

  func put(
    _ body: [UInt8],
    as name: String,
    if condition: ObjectCondition
  ) throws(ArchiveError) -> ObjectContents.Tag? {
    let tag: String? = if case .tag(let tag) = condition { tag } else { nil }
    for _ in 0..<100 {
      let response = server.send(.put(name, body, ifMatch: tag))
      switch response?.status {
      case 200: return response?.tag
      case 404, 412: return nil
      // Nothing was put.
      case 409, 503: continue
      // What is written once may be sent again, and is there then.
      default: if name == "head" { throw away("no answer to a put") }
      }
    }
    throw away("no answer")
  }

  func list(
    _ prefix: String,
    after name: String
  ) throws(ArchiveError) -> [ObjectEntry] {
    var (entries, last, isTruncated) = ([ObjectEntry](), name, true)
    while isTruncated {
      let page = try send(.list(prefix, after: last))
      entries += page.entries
      last = page.entries.map(\.name).max() ?? last
      isTruncated = page.isTruncated
    }
    return entries
  }

  func remove(_ names: [String]) throws(ArchiveError) {
    for name in names { _ = try send(.delete(name)) }
  }
}
