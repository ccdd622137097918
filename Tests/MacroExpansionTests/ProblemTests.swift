#if Macros
  import Testing

  /// What the macros refuse, with the word that they say and the source after the repair.
  struct ProblemTests {
    /// A source with a problem.
    struct Sample: CustomTestStringConvertible {
      let source: String
      let problem: String
      let repaired: String?

      init(_ source: String, _ problem: String, _ repaired: String? = nil) {
        (self.source, self.problem, self.repaired) = (source, problem, repaired)
      }

      var testDescription: String { problem }
    }

    @Test(arguments: entities + fields + indexes + records)
    func `a problem is named, and repaired where that is possible`(_ sample: Sample) {
      let expansion = Expansion(sample.source)
      #expect(expansion.problems.count == 1, "\(expansion.problems)")
      #expect(expansion.problems.first?.contains(sample.problem) == true, "\(expansion.problems)")
      #expect(!expansion.source.contains("init(record:"), "\(expansion.source)")
      #expect(expansion.repaired == sample.repaired)
      if let repaired = expansion.repaired { #expect(Expansion(repaired).problems == []) }
    }

    static let entities = [
      Sample(
        "@Entity(\"a\") final class A { let id: EntityID<A> }",
        "1: @Entity is for structs: a change of a class would reach neither subscribers nor the file.",
        "@Entity(\"a\") struct A { let id: EntityID<A> }"
      ),
      Sample("@Entity(\"a\") enum A { case a }", "1: @Entity is for structs: this is an enum."),
      Sample(
        "@Entity(\"a\") struct A<B> { let id: EntityID<A> }",
        "1: An entity is not generic, as its table has one type"
      ),
      Sample("@Entity(\"\") struct A { let id: EntityID<A> }", "1: The name of a table is a text"),
      Sample("@Entity struct A { let id: EntityID<A> }", "1: Name the table of the entity"),
      Sample(
        "@Entity(\"a\") public struct A {\n    var b: Int\n}",
        "1: A has no id: declare let id: EntityID<A>.",
        "@Entity(\"a\") public struct A {\n    public let id: EntityID<A>\n    var b: Int\n}"
      ),
      Sample(
        "@Entity(\"a\") struct A {}",
        "1: A has no id",
        "@Entity(\"a\") struct A {\n  let id: EntityID<A>\n}"
      ),
      Sample(
        "@Entity(\"a\") struct A { var id: EntityID<A> { 1 } }",
        "1: The id of an entity is stored, not computed.",
        "@Entity(\"a\") struct A { let id: EntityID<A> }"
      ),
      Sample(
        "@Entity(\"a\") struct A {\n  let id: Int\n}",
        "2: The id of an entity is an EntityID<A>",
        "@Entity(\"a\") struct A {\n  typealias RawID = Int\n  let id: EntityID<A>\n}"
      ),
      Sample(
        "@Entity(\"a\") struct A {\n  static let tableName: TableName = \"b\"\n  let id: EntityID<A>\n}",
        "2: @Entity declares tableName: remove this one.",
        "@Entity(\"a\") struct A {\n  \n  let id: EntityID<A>\n}"
      ),
      Sample(
        "struct B { @Entity(\"a\") private struct A { let id: EntityID<A> } }",
        "1: The extension of the macro is outside of the type around this one: write fileprivate.",
        "struct B { @Entity(\"a\") fileprivate struct A { let id: EntityID<A> } }"
      ),
    ]

    private static func member(
      _ member: String,
      _ problem: String,
      _ repaired: String? = nil,
      line: Int = 4
    ) -> Sample {
      func source(_ member: String) -> String {
        "@Entity(\"a\")\nstruct A {\n  let id: EntityID<A>\n  \(member)\n}"
      }
      return Sample(source(member), "\(line): " + problem, repaired.map(source))
    }

    static let fields = [
      member(
        "lazy var b: Int = id.hashValue",
        "A lazy property changes the value that it is read from",
        "var b: Int { id.hashValue }"
      ),
      member("lazy var b = 1", "A lazy property changes", "var b = 1"),
      member(
        "enum CodingKeys: String, CodingKey { case id\n case b }\n  var b: Int { 1 }",
        "CodingKeys lists b, which is computed and has nothing to store: remove the case.",
        "enum CodingKeys: String, CodingKey { case id\n  }\n  var b: Int { 1 }",
        line: 5
      ),
      member(
        "@Clamped(1) var b: Int",
        "@Clamped is a property wrapper or a macro, and @Entity does not see what it stores",
        "var b: Int"
      ),
      member("var b: () -> Void", "b is a function, which is not Codable: make it a method."),
      member("var b: (Int, Int)?", "b is a tuple, which is not Codable: declare a struct for it."),
      member("var b: [any Shape]", "b has the type any Shape, which is not Codable"),
      member("var b: Any", "b has the type Any, which is not Codable"),
      member(
        "var b: [Character]",
        "b has the type Character, which is not Codable: store a String in its place.",
        "var b: [String]"
      ),
      member(
        "var b: [String: C]; struct C: Equatable { var d: Int }",
        "b has the type C, which is not Codable: write @Record before its declaration.",
        "var b: [String: C]; @Record struct C: Equatable { var d: Int }"
      ),
      member("var (b, c) = (1, 2)", "Declare each property on its own."),
      member("#if DEBUG\n  var b = 1\n  #endif", "The macro does not know whether this property"),
      member(
        "func encode(to encoder: any Encoder) throws {}",
        "@Entity writes what synthesized Codable"
      ),
      member(
        "init(from decoder: any Decoder) throws {}",
        "@Entity writes what synthesized Codable"
      ),
      member("typealias CodingKeys = Keys", "The macro does not see the cases of this CodingKeys"),
      member(
        "enum CodingKeys: CodingKey { case id\n  var stringValue: String { \"\" } }",
        "The macro reads the cases of CodingKeys and not its code",
        line: 5
      ),
    ]

    static let indexes = [
      member(
        "static let byB = GroupIndex(\\A.b)\n  var b: Int",
        "byB is not in the list `indexes`, so no table maintains it: add it to the list.",
        "static let byB = GroupIndex(\\A.b)\n  static let indexes: EntityIndexes<A> = [byB]\n  var b: Int"
      ),
      member(
        "static let byB: UniqueIndex<A, Int> = make(), byC = OrderedIndex(\\A.c)\n"
          + "  static let indexes: EntityIndexes<A> = [A.byC]",
        "byB is not in the list",
        "static let byB: UniqueIndex<A, Int> = make(), byC = OrderedIndex(\\A.c)\n"
          + "  static let indexes: EntityIndexes<A> = [A.byC, byB]"
      ),
      member(
        "static let byB = GroupIndex(\\A.b)\n  static var indexes: EntityIndexes<A> { [] }",
        "byB is not in the list",
        "static let byB = GroupIndex(\\A.b)\n  static var indexes: EntityIndexes<A> { [byB] }"
      ),
      member(
        "static let indexes = [byB]; static let byB = GroupIndex(\\A.b)",
        "The list `indexes` has another type than EntityType asks for",
        "static let indexes: EntityIndexes<A> = [byB]; static let byB = GroupIndex(\\A.b)"
      ),
      member(
        "static let indexes: [GroupIndex<A, Int>] = [byB]",
        "The list `indexes` has another type than EntityType asks for",
        "static let indexes: EntityIndexes<A> = [byB]"
      ),
    ]

    static let records = [
      Sample(
        "@Record enum A: String { case a }",
        "1: Codable writes the raw value of this enum",
        "enum A: String, Codable { case a }"
      ),
      Sample(
        "@Record struct A<B, C: Codable> { var b: B }",
        "1: The fields of a record are Codable, and B may be anything: write B: Codable.",
        "@Record struct A<B: Codable, C: Codable> { var b: B }"
      ),
      Sample("@Record actor A {}", "1: @Record is for structs and enums", "@Record struct A {}"),
      Sample("@Record enum A {}", "1: An enum without cases has no value to store."),
      Sample(
        "@Record enum A { case a(Substring) }",
        "1: a has the type Substring, which is not Codable",
        "@Record enum A { case a(String) }"
      ),
    ]
  }
#endif
