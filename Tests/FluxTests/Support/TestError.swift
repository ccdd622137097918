/// The error that tests throw.
struct TestError: Error, Equatable {}
