package import Foundation

/// What another product adds to a report or a status of the core.
package protocol ReportPart: Sendable, Equatable {
  /// Sentences for a person.
  var sentences: [String] { get }

  /// Whether a person has to see it first.
  var isProblem: Bool { get }

  /// What a metrics system records of it.
  func measures(at time: Date) -> [Measure]
}

extension ReportPart {
  package var isProblem: Bool { false }

  package func measures(at time: Date) -> [Measure] { [] }
}

/// A number for a metrics system, by its label.
package struct Measure: Sendable {
  package let label: String
  /// Nil where there is none at the moment.
  package let value: Int64?
  /// Whether it counts since some start.
  package let isTotal: Bool

  package init(_ label: String, _ value: Int64?, isTotal: Bool = false) {
    (self.label, self.value, self.isTotal) = (label, value, isTotal)
  }

  /// How many whole seconds have passed between two times; 0 if the second one is earlier.
  package static func seconds(since start: Date, _ end: Date) -> Int64 {
    let seconds = max(0, end.timeIntervalSince(start))
    return Int64(exactly: seconds.rounded(.down)) ?? .max
  }
}

/// The parts of a report or a status that other products add, one of a type.
package struct ReportParts: Sendable, Equatable {
  private var parts: [any ReportPart] = []

  package init() {}

  /// The part of a type; nil if there is none.
  package subscript<Part: ReportPart>(_ type: Part.Type) -> Part? {
    get { parts.lazy.compactMap { $0 as? Part }.first }
    set {
      parts.removeAll { $0 is Part }
      if let newValue { parts.append(newValue) }
    }
  }

  /// Adds a part whose type is not known here.
  package mutating func add<Part: ReportPart>(_ part: Part) { self[Part.self] = part }

  /// The sentences of all parts, or only of those that are problems, or that are none.
  package func sentences(ofProblems isProblem: Bool? = nil) -> [String] {
    parts.filter { isProblem == nil || $0.isProblem == isProblem }.flatMap(\.sentences)
  }

  /// What a metrics system records of all parts.
  package func measures(at time: Date) -> [Measure] { parts.flatMap { $0.measures(at: time) } }

  package static func == (a: ReportParts, b: ReportParts) -> Bool {
    func isEqual<Part: ReportPart>(_ part: Part, _ other: any ReportPart) -> Bool {
      part == other as? Part
    }
    return a.parts.count == b.parts.count
      && a.parts.allSatisfy { part in b.parts.contains { isEqual(part, $0) } }
  }
}
