import StrataJournal
import StrataRecords

/// The column `context` of a delta.
enum ContextInput {
  static func check(_ bytes: [UInt8]) {
    guard let contexts = try? DeltaContexts(bytes, of: "a delta") else { return }
    let bounded = contexts.contexts.map { $0.bounded() }
    for context in bounded {
      require(context.bounded() == context, "a context that is short enough stays as it is")
    }
    guard let again = DeltaContexts(bounded, leftOut: contexts.leftOut).encoded() else { return }
    guard let read = try? DeltaContexts(again, of: "a delta") else {
      return require(false, "what is written is read")
    }
    require(read.contexts == bounded.filter { !$0.isEmpty }, "a context comes back as it was")
    require(read.leftOut == contexts.leftOut, "so does the count of the others")
  }

  static func seeds() -> [[UInt8]] {
    let call = DeltaContext.Call(name: "rename", arguments: .array([.string("a"), .null]))
    var merged = DeltaContext(user: "bob", trace: "t")
    merged.revision = 7
    return [
      DeltaContexts([DeltaContext(user: "ann", request: "7", call: call, fields: ["a": "b"])]),
      DeltaContexts([merged, merged], leftOut: 3),
    ].compactMap { $0.encoded() }
  }
}
