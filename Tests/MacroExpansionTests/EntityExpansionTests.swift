#if Macros
  import Testing

  struct EntityExpansionTests {
    @Test func `an entity gets its conformance, its table, its keys and both methods`() {
      let expansion = Expansion(
        """
        @Entity("users")
        public struct User {
          public let id: EntityID<User>
          var name = ""
          var nickname: String?
          var a, b: Int?
          let version = 2
          var isAdult: Bool { true }
          var `default`: Bool { didSet {} }
          static let none = 1
        }
        """
      )
      #expect(
        expansion.source == """

          public struct User {
            public let id: EntityID<User>
            var name = ""
            var nickname: String?
            var a, b: Int?
            let version = 2
            var isAdult: Bool { true }
            var `default`: Bool { didSet {} }
            static let none = 1

            private nonisolated enum CodingKeys: Swift.String, Swift.CodingKey {
              case id, name, nickname, a, b, version, `default`
            }

            public typealias ID = Strata.EntityID<User>
          }

          nonisolated extension User: Swift.Encodable, Swift.Decodable, Swift.Equatable, Swift.Identifiable, Swift.Sendable, Strata.EntityType, Strata.RecordCodable {
            public static let tableName: Strata.TableName = "users"

            public init(record: inout Strata.RecordFieldReader) throws {
              self.id = try record.decode("id")
              self.name = try record.decode("name")
              self.nickname = try record.decodeIfPresent("nickname")
              self.a = try record.decodeIfPresent("a")
              self.b = try record.decodeIfPresent("b")
              self.`default` = try record.decode("default")
            }

            public func encode(record: inout Strata.RecordFieldWriter) throws {
              record.encode("id", self.id)
              record.encode("name", self.name)
              record.encodeIfPresent("nickname", self.nickname)
              record.encodeIfPresent("a", self.a)
              record.encodeIfPresent("b", self.b)
              record.encode("version", self.version)
              record.encode("default", self.`default`)
            }
          }
          """
      )
      #expect(
        expansion.problems == [
          "7: warning: A let with a value is written to records and never read from them: write var, or make it static."
        ]
      )
    }

    @Test func `the fields are those that CodingKeys lists, in its order`() {
      let expansion = Expansion(
        """
        @Entity("users")
        struct User {
          enum CodingKeys: String, CodingKey {
            case name = "n"
            case id
          }
          let id: EntityID<User>
          var name: String
          var cached = 0
        }
        """
      )
      #expect(expansion.problems == [])
      #expect(
        expansion.source.contains(
          """
              record.encode("n", self.name)
              record.encode("id", self.id)
            }
          """
        )
      )
      #expect(!expansion.source.contains("cached\""))
      #expect(!expansion.source.contains("nonisolated enum CodingKeys"))
    }

    @Test(arguments: ["typealias ID = EntityID<User>", "struct ID {}", "enum ID {}"])
    func `an entity that declares ID gets no other`(_ declaration: String) {
      let source = "@Entity(\"users\") struct User { let id: EntityID<User>; \(declaration) }"
      #expect(!Expansion(source).source.contains("typealias ID = Strata."))
    }

    @Test func `a type in an extension has the access of the extension`() {
      let expansion = Expansion(
        """
        package extension Outer {
          @available(macOS 15, *)
          @Record struct Part { var a: Int }
        }
        """
      )
      #expect(expansion.problems == [])
      #expect(
        expansion.source.contains("@available(macOS 15, *)\nnonisolated extension Outer.Part")
      )
      #expect(expansion.source.contains("  package init(record:"))
    }

    @Test func `an enum gets a field for each case`() {
      let expansion = Expansion(
        """
        @Record
        enum Contact {
          case none, mail(String)
          case phone(number: String, _ at: Int?)
          enum PhoneCodingKeys: String, CodingKey { case number = "n", _1 }
        }
        """
      )
      #expect(expansion.problems == [])
      for line in [
        "case none, mail, phone",
        "if try record.decodeCase(\"none\") {",
        "try Self.mail(fields.decode(\"_0\"))",
        "try Self.phone(number: fields.decode(\"n\"), fields.decodeIfPresent(\"_1\"))",
        "case .none:", "record.encodeCase(\"none\")", "fields.encode(\"_0\", value0)",
        "fields.encode(\"n\", value0)", "fields.encodeIfPresent(\"_1\", value1)",
      ] {
        #expect(expansion.source.contains(line), "\(line) in \(expansion.source)")
      }
    }
  }
#endif
