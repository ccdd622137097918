import StrataBase
import StrataJournal
import StrataRecords
import TestSupport
import Testing

struct DeltaContextTests {
  private var whole: DeltaContext {
    DeltaContext(
      user: "ann",
      request: "7",
      trace: "4bf9",
      call: .init(name: "rename", arguments: .object([.init("to", .string("Ann"))])),
      fields: ["b": "2", "a": "1"]
    )
  }

  @Test
  func `a context comes back from its column`() throws {
    let bytes = try #require(DeltaContexts([whole]).encoded())
    #expect(try DeltaContexts(bytes, of: "delta 1") == DeltaContexts([whole]))
    #expect(DeltaContexts([]).encoded() == nil)
    #expect(DeltaContexts([DeltaContext()]).encoded() == nil)
  }

  @Test
  func `the column of a context is as the format says`() throws {
    let bytes = DeltaContexts([DeltaContext(user: "ann", fields: ["a": "1"])]).encoded()
    let expected: [[UInt8]] = [
      [33, 2], [6, 102, 105, 101, 108, 100, 115, 33, 1, 1, 97, 12, 1, 49],
      [4, 117, 115, 101, 114, 12, 3, 97, 110, 110],
    ]
    #expect(bytes == Array(expected.joined()))
  }

  @Test
  func `the contexts of merged commits come back in their order`() throws {
    var (first, second) = (whole, DeltaContext(user: "bob"))
    (first.revision, second.revision) = (3, 5)
    let contexts = DeltaContexts([first, second], leftOut: 4)
    let bytes = try #require(contexts.encoded())
    #expect(try DeltaContexts(bytes, of: "delta 5") == contexts)
  }

  @Test
  func `a context is cut where it is too long, and says so`() throws {
    let long = String(repeating: "é", count: 2_000)
    var context = DeltaContext(user: long, request: "7", fields: ["long": long])
    for number in 100..<140 { context.fields["\(number)"] = "x" }
    let bounded = context.bounded()
    #expect(bounded.isCut)
    #expect(bounded.user == String(repeating: "é", count: 512))
    #expect(bounded.request == "7")
    #expect(bounded.fields.count == DeltaContext.fieldLimit)
    #expect(bounded.fields["131"] == "x" && bounded.fields["132"] == nil)
    #expect(whole.bounded() == whole)
  }

  @Test
  func `arguments that are too long or too deep are left out, with the reason`() throws {
    var long = whole
    long.call?.arguments = .string(String(repeating: "x", count: 20_000))
    #expect(
      long.bounded().call == .init(name: "rename", omitted: "they have more than 16384 bytes")
    )
    #expect(long.bounded().isCut)
    let whole = whole
    try onLargeStack { () throws in
      var deep = whole
      deep.call?.arguments = (0..<254).reduce(RecordValue.null) { value, _ in .array([value]) }
      let omitted = try #require(deep.bounded().call?.omitted)
      #expect(omitted == "they cannot be stored: tooDeep")
      // As deep as possible is read back, also among others.
      deep.call?.arguments = (0..<250).reduce(RecordValue.null) { value, _ in .array([value]) }
      deep = deep.bounded()
      #expect(deep.call?.omitted == nil)
      deep.revision = 1
      let bytes = try #require(DeltaContexts([deep, deep]).encoded())
      #expect(try DeltaContexts(bytes, of: "delta 2").contexts == [deep, deep])
    }
  }

  @Test(arguments: [
    RecordValue.string("ann"), .object([.init("user", .int(1, .bits64))]),
    .object([.init("call", .object([]))]), .object([.init("call", .string("rename"))]),
    .object([.init("fields", .object([.init("a", .null)]))]),
    .object([.init("revision", .uint(.max, .bits64))]), .object([.init("cut", .null)]),
    .array([.null]), .array([.object([.init("left out", .uint(.max, .bits64))])]),
  ])
  func `a forged context is refused with the delta's name`(value: RecordValue) throws {
    let error = #expect(throws: CorruptionError.self) {
      try DeltaContexts(TaggedValue.bytes(of: value), of: "delta 9")
    }
    #expect(error?.description.contains("delta 9") == true)
  }

  @Test
  func `bytes that are no value are refused, and members of a later format ignored`() throws {
    #expect(throws: CorruptionError.self) { try DeltaContexts([33, 9], of: "delta 1") }
    #expect(throws: CorruptionError.self) { try DeltaContexts([], of: "delta 1") }
    let later = RecordValue.object([.init("user", .string("ann")), .init("why", .bool(true))])
    let read = try DeltaContexts(TaggedValue.bytes(of: later), of: "delta 1")
    #expect(read.contexts == [DeltaContext(user: "ann")])
  }
}
