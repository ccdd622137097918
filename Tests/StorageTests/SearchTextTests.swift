import StrataInspection
import Testing

@Suite struct SearchTextTests {
  @Test(arguments: [
    ("ann", "Joanna"), ("ANN", "joanna"), ("é", "Caf\u{65}\u{301}"),
    ("straße", "Die STRASSE, Straße"),
    ("👩🏽‍🚀", "a 👩🏽‍🚀 b"), ("", "anything"), ("x", "x"),
  ])
  func `case and the form of a letter do not matter`(text: String, whole: String) {
    #expect(SearchText(text).isIn(whole))
  }

  @Test(arguments: [("ann", "an"), ("ann", ""), ("ab", "aab".replacing("ab", with: "c"))])
  func `other texts do not contain it`(text: String, whole: String) {
    #expect(!SearchText(text).isIn(whole))
  }
}
