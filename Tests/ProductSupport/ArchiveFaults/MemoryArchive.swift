package import Foundation
package import StrataArchiving
import StrataBase
import StrataJournal

/// An archive in memory, for tests.
///
/// Without its fence it puts every object, whatever the condition, and a process that leads sees the head that it has put
/// itself, as at a store without conditions. Tests use that to see that they notice.
package actor MemoryArchive: ObjectArchive {
  /// Whether conditions hold.
  package enum Fence: Sendable {
    case on
    case off
  }

  /// Everything that it has.
  package struct Contents: Sendable {
    fileprivate var objects: [String: Object] = [:]

    /// Nothing.
    package init() {}

    /// Everything that was sent as bytes.
    package var bodies: [[UInt8]] {
      objects.filter { $0.key != "head" }.map(\.value.body)
    }
  }

  fileprivate struct Object: Sendable {
    let body: [UInt8]
    let tag: String
    let time: Date
  }

  /// What the values of one archive share.
  private final class Place: Sendable {
    let contents = Lock(Contents())
    let puts = Lock<Int64>(0)
  }

  package nonisolated let name = "in memory"
  package nonisolated let memory = ObjectMemory()
  private let place: Place
  private let fence: Fence
  private let now: @Sendable () -> Date
  /// The head that was put through this value, which is the one that it sees without a fence.
  private var ownHead: Object?

  package init(fence: Fence = .on, now: @escaping @Sendable () -> Date = { Scheduling.date }) {
    self.init(Place(), fence, now)
  }

  private init(_ place: Place, _ fence: Fence, _ now: @escaping @Sendable () -> Date) {
    (self.place, self.fence, self.now) = (place, fence, now)
  }

  /// Another value of it, as another process has one.
  package nonisolated func another() -> MemoryArchive { MemoryArchive(place, fence, now) }

  package var contents: Contents { place.contents.withLock { $0 } }

  /// Replaces everything, as when the archive goes back to an earlier time.
  package func replace(by contents: Contents) { place.contents.withLock { $0 = contents } }

  private func age(of object: Object) -> Duration {
    .microseconds(now().microseconds) - .microseconds(object.time.microseconds)
  }

  package func get(_ name: String) -> ObjectContents? {
    var object = contents.objects[name]
    if name == "head", fence == .off, let ownHead { object = ownHead }
    return object.map {
      ObjectContents(body: $0.body, tag: $0.tag, time: $0.time, age: age(of: $0))
    }
  }

  package func put(
    _ body: [UInt8],
    as name: String,
    if condition: ObjectCondition
  ) -> ObjectContents.Tag? {
    // Tags go on where the contents go back.
    let number = place.puts.withLock { number in
      number += 1
      return number
    }
    let object = Object(body: body, tag: "\(number)", time: now())
    let isPut = place.contents.withLock { contents in
      let found: ObjectCondition = contents.objects[name].map { .tag($0.tag) } ?? .absent
      guard found == condition || fence == .off else { return false }
      contents.objects[name] = object
      return true
    }
    if isPut, name == "head" { ownHead = object }
    return isPut ? object.tag : nil
  }

  package func list(_ prefix: String, after name: String) -> [ObjectEntry] {
    contents.objects.compactMap { key, object in
      guard key.hasPrefix(prefix), key > name else { return nil }
      return ObjectEntry(
        name: key,
        size: Int64(object.body.count),
        age: age(of: object)
      )
    }
  }

  package func remove(_ names: [String]) {
    place.contents.withLock { contents in
      for name in names { contents.objects[name] = nil }
    }
  }
}
