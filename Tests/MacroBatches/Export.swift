#if Macros
  /// Refines what the macros conform to.
  package protocol Exported: Codable, Equatable {
    var title: String { get }
  }

  extension Address: Exported {
    package var title: String { street }
  }

  extension Author: Exported {
    package var title: String { name }
  }

  extension Author: Comparable {
    package static func < (a: Author, b: Author) -> Bool { a.name < b.name }
  }
#endif
