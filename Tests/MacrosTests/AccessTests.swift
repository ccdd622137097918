#if Macros
  public import Strata
  import Testing

  struct AccessTests {
    @Test func `the records of types of each access level are those of Codable`() throws {
      try RecordCodableLaw.check([Library.Shelf.sample])
      try RecordCodableLaw.check([Library.Room(id: "1")])
      try RecordCodableLaw.check([Library.Door(width: 1)])
    }
  }

  /// Public entities, and those of a package, in and outside of other types.
  public enum Library {
    /// A public entity.
    @Entity("shelves")
    public struct Shelf {
      /// Its ID.
      public let id: EntityID<Shelf>
      package var name: String
      @Record
      fileprivate struct Board: Equatable { var width: Int }
      private var boards: [Board] = []

      static let sample = Shelf(id: "1", name: "a", boards: [Board(width: 1)])
    }
  }

  extension Library {
    @Entity("rooms")
    package struct Room {
      package let id: EntityID<Room>
    }
  }

  // swift-format-ignore: NoAccessLevelOnExtensionDeclaration
  public extension Library {
    /// Public by the extension around it.
    @Record
    struct Door: Equatable {
      /// Its width.
      var width: Double
    }
  }
#endif
