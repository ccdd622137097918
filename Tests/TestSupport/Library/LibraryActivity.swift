/// The activities of the sample domain.
package enum LibraryActivity: Equatable, Sendable {
  case opened
  case rang(Int)
}
