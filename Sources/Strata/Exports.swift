@_exported public import StrataCore
@_exported public import StrataEntityStore
@_exported public import StrataJournal
@_exported public import StrataNormalization
@_exported public import StrataPersistence
@_exported public import StrataStorage

// What the macros write into a program refers to it.
#if Macros
  @_exported public import StrataRecords
#endif
