-- Format 2: snapshots that share chunks, who and why of a delta, the application of a store, one ledger
-- for both kinds of migration.

-- Runs of entities of one table, about 256 KB each, that snapshots list. Equal hashes do not make equal
-- chunks: the bytes decide.
CREATE TABLE chunk (
  id           INTEGER PRIMARY KEY,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  body         BLOB    NOT NULL
) STRICT;
CREATE INDEX chunk_hash ON chunk (hash);

-- The chunks of each snapshot, with what can be known of a chunk without reading it.
CREATE TABLE listing (
  revision     INTEGER NOT NULL,
  entity_table TEXT    NOT NULL,
  first        BLOB    NOT NULL,            -- the encoded ID of its first entity
  count        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,            -- of its records
  chunk        INTEGER NOT NULL,
  PRIMARY KEY (revision, entity_table, first)
) STRICT, WITHOUT ROWID;

-- Here the chunks of format 1, each of one snapshot and with several tables, become the ones above.
-- strata:convert
DROP TABLE snapshot_chunk;

-- The program that the store belongs to, as its configuration names it.
ALTER TABLE store ADD COLUMN application TEXT;

-- Who and why of a commit, where it said so. The chain covers it.
ALTER TABLE delta ADD COLUMN context BLOB;

-- The migrations that ran, of both kinds: of the file's schema, and of the user's data.
ALTER TABLE migration RENAME TO migration_of_format_1;
CREATE TABLE migration (
  kind           INTEGER NOT NULL DEFAULT 0,  -- 0 of the file's schema, 1 of the user's data
  version        INTEGER NOT NULL,            -- 1, 2, 3 ... of its kind
  name           TEXT    NOT NULL,
  checksum       BLOB    NOT NULL CHECK (length(checksum) = 16),
  applied        INTEGER NOT NULL,            -- microseconds since 1970
  duration       INTEGER NOT NULL,            -- microseconds
  -- The rest is for the user's data; null for the file's schema.
  form           TEXT,                        -- how it is written: SQL, Swift, a declaration, a baseline
  script         TEXT,                        -- what ran, where it is SQL
  revision       INTEGER,                     -- the last revision after it
  layout         INTEGER,                     -- the highest number of a layout after it
  replaces_first INTEGER,                     -- of a squashed one: the versions it stands for
  replaces_last  INTEGER,
  PRIMARY KEY (kind, version)
) STRICT, WITHOUT ROWID;
INSERT INTO migration (version, name, checksum, applied, duration)
  SELECT version, name, checksum, applied, duration FROM migration_of_format_1;
DROP TABLE migration_of_format_1;
