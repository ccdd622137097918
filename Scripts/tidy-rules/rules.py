"""The rules: each is a function that yields what breaks it in a tree."""
import collections, os, plistlib, re
from xml.parsers.expat import ExpatError
from swift import TYPES, Declaration, blank

SMALL = 40
LONG = 70

# The key in the list is PATH: WHAT, or SUBJECT: WHAT if the subject is not the file. The line is only printed.
Finding = collections.namedtuple("Finding", "path line what message subject", defaults=[""])
RULES = {}


def rule(function):
    """A rule yields the findings of a tree. Its name is that of its function and of its list."""
    RULES[function.__name__] = function
    return function


OWNERS = {"CStrataSQLite": "Sources/StrataSQLite/", "CStrataPostgres": "Sources/StrataPostgres/"}
IMPORT = re.compile(r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?\s+)*(?:\w+\s+)?import\s+(?:\w+\s+)?(CStrata\w+)", re.M)


@rule
def imports(tree):
    for file in tree.sources:
        for match in IMPORT.finditer(file.code):
            owner = OWNERS.get(match[1])
            if not owner or not file.path.startswith(owner):
                yield Finding(file.path, file.line(match.start(1)), match[1],
                              f"Only {owner or 'a target in the table OWNERS'} may import {match[1]}. "
                              "Ask its target for what you need.")


# A ban holds in the folders, but not where the path starts with one of `allowed`, and not behind `unless` on its line.
# The hint is a part of every match: a file without it is not searched.
Ban = collections.namedtuple("Ban", "what hint pattern folders instead allowed unless", defaults=[(), None])
SOURCES = ("Sources/", "Migrations/")
# What uses a store's file or an archive: a simulation decides what happens there, and when.
ENGINE = tuple(f"Sources/Strata{name}/" for name in ("Journal", "Storage", "Migrating", "Maintaining", "Archiving", "Persistence", "Archive",
                                                     "Maintenance", "Migrations"))
LOCK = ("Sources/StrataBase/Lock",)
# What locks files that exist for their locks, and OpenFile, whose method they call.
LOCKED_FILES = ("Sources/StrataArchiving/Objects/ArchiveFolder.swift",
                *(f"Sources/StrataJournal/File/{name}" for name in ("LockFile", "LockedMark", "OpenFile", "SharedLock")))
BANS = [
    Ban("try!", "try!", r"\btry!", SOURCES, "Throw the error, or trap with preconditionFailure and a sentence."),
    Ban("as!", "as!", r"\bas!", SOURCES, "Use `as?` and trap with a sentence, or let a generic type carry the type."),
    Ban("fatalError", "fatalError", r"\bfatalError\(", SOURCES,
        "A mistake of the world is an error: throw it. For a mistake of the programmer use preconditionFailure."),
    Ban("trap without a sentence", "()", r"\b(?:preconditionFailure|fatalError)\(\)", SOURCES,
        "Name the method and the remedy in a sentence."),
    Ban("try?", "try?", r"\btry\?", SOURCES,
        "It drops the reason. Catch the error and say why it does not matter, or throw it."),
    Ban("empty catch", "catch", r"\bcatch\s*(?:_\s*)?\{\s*\}", SOURCES,
        "It drops the reason. Report the error, or throw it."),
    Ban("nonisolated(unsafe)", "nonisolated(unsafe)", r"nonisolated\(unsafe\)", (*SOURCES, "Tests/"), "Use Lock."),
    Ban("@unchecked Sendable", "@unchecked", r"@unchecked\s+Sendable\b", SOURCES,
        "Put what changes into a Lock, so that the compiler checks the rest.", LOCK),
    Ban("Mutex", "", r"(?:Mutex|NSLock|NSRecursiveLock|os_unfair_lock|pthread_mutex_t)\b", SOURCES, "Use Lock.", LOCK),
    Ban("function in a Lock", "", r"Lock<\(*@(?:Sendable|escaping)\b", (*SOURCES, "Tests/"),
        "Put it into a struct: each access to a bare function adds a wrapper around it."),
    Ban("Task without an owner", "Task", r"^[ \t]*Task(?:\.detached)?(?:\([^\n]*\))?\s*\{", SOURCES,
        "Store the task with its owner, which cancels it."),
    Ban("DispatchQueue.global", "DispatchQueue.global", r"DispatchQueue\.global", SOURCES,
        "Use a queue that has an owner."),
    Ban("name of a type", "", r"(?:struct|class|enum|actor|protocol|typealias) \w+"
        r"(?:Manager|Helper|Util|Utils|Common|Impl|Data|Info|Object)\b", SOURCES,
        "Name the type by what it is, without Manager, Helper, Util, Common, Impl, Data, Info, Object."),
    # A default value of a parameter is how a clock comes in: `now: Date = Date()`.
    Ban("clock", "", r"(?:Date\(\)|Date\.now\b|ContinuousClock(?:\(\)|\.now\b)|Task\.sleep\()", SOURCES,
        "Take a clock or `now` as a parameter, or ask Scheduling, so that a test can set it.", ("Sources/StrataCLI/", "Sources/StrataBase/Scheduler.swift"),
        r"\w: [^\n={]*= *(?:\{ *)?\Z"),
    # New files have the owner of what they are beside. A temporary folder has none.
    Ban("O_CREAT", "O_CREAT", r"\bO_CREAT\b", SOURCES, "Use Disk.create or Disk.openOrCreate, which give the file its owner.",
        ("Sources/StrataJournal/File/OpenFile.swift", "Sources/StrataJournal/File/FileOwner.swift")),
    Ban("path of NSString", "PathComponent", r"as NSString\)?\.(?:deletingL|l)astPathComponent", (*SOURCES, "Tests/"),
        "It traps on Linux for a path of one character or of slashes. Use PathParts."),
    Ban("UUID()", "UUID()", r"\bUUID\(\)", ENGINE, "Use Scheduling.uuid(), so that a simulation repeats it."),
    Ban("DispatchQueue", "DispatchQueue", r"\bDispatchQueue\(", ENGINE,
        "Use FileExecutor or Scheduling.current.makeQueue, so that a simulation can order it."),
    # What Apple's systems lack, or do otherwise. Scripts/apple-check sees what is newer than the lowest version.
    Ban("flock", "", r"(?<!\.)\bflock\((?!\))|\.lock\(LOCK_", SOURCES,
        "SQLite's locks exclude it on Apple's systems: lock a file beside the database, with a type of "
        "StrataJournal/File.", LOCKED_FILES),
    Ban("assumeIsolated", "assumeIsolated", r"(?<!\bMainActor\.)\bassumeIsolated\b", (*SOURCES, "Tests/"),
        "Await the actor. Only on a FileExecutor it does not trap, and a list in Scripts/tidy-known has these places."),
    Ban("String(validating:)", "validating:", r"\bString\(\s*validating:", (*SOURCES, "Tests/"),
        "Use String(decoding:as:) and compare its UTF-8 with the bytes, which older systems have too."),
    Ban("next(isolation:)", "isolation:", r"\bnext\(isolation:", (*SOURCES, "Tests/"),
        "Use next(), which older systems have too."),
    Ban("Synchronization", "Synchronization", r"\bimport\s+(?:\w+\s+)?Synchronization\b", (*SOURCES, "Tests/"),
        "Use Lock, which older systems have too."),
    Ban("sleep", "sleep(", r"(?:Task\.|Thread\.|\bu|(?<![.\w])(?<!func ))sleep\(", ("Tests/",),
        "Wait for the event itself, or use a clock of the test."),
    Ban("@testable", "@testable", r"@testable\b", ("Tests/",), "Give the declaration `package` access."),
]
COMMENT_BANS = [
    Ban("MARK", "MARK:", r"MARK:", (*SOURCES, "Tests/"), "The file has two subjects: make two files of it."),
    Ban("TODO", "", r"\b(?:TODO|FIXME|XXX)\b", (*SOURCES, "Tests/"), "Do it now, or open an issue."),
    # Plain comments only: a documentation comment shows code on purpose. A sentence ends with a point, code does not.
    Ban("code in a comment", "//", r"\A//(?!/)\s*(?:(?:let|var)\s+\w+\s*(?::[^=]+)?=\s*\S.*"
        r"|(?:(?:public|package|private|static)\s+)*(?:func|struct|class|enum|init|if|guard|for|while|switch|do)\b.*\{"
        r"|\}(?:\s*else.*\{)?|(?:return|try|await)\s+(?:try |await )?[\w.]+\(.*\)|import\s+\w+|[\w.]+\([^()]*\))\s*\Z",
        (*SOURCES, "Tests/"), "Delete it: git keeps it."),
]


@rule
def bans(tree):
    for file in tree.under(*SOURCES, "Tests/", "Benchmarks/"):
        def found(bans, text, start=0):
            for ban in bans:
                if ban.hint in text and file.path.startswith(ban.folders) and not file.path.startswith(ban.allowed):
                    for match in re.finditer(ban.pattern, text, re.M):
                        line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
                        if not (ban.unless and re.search(ban.unless, line)):
                            yield Finding(file.path, file.line(start + match.end() - 1), ban.what,
                                          f"{ban.what}. {ban.instead}")

        yield from found(BANS, file.code)
        for position, comment in file.comments:
            yield from found(COMMENT_BANS, comment, position)


# Swift, SwiftNIO and swift-syntax call these by name.
CALLED_BY_OTHERS = set("""
buildBlock buildExpression callAsFunction channelInactive channelRead checkIsolated errorCaught
fixItID handlerAdded handlerRemoved InboundIn InboundOut OutboundOut providingMacros unownedExecutor
""".split())
CASES = re.compile(r"(?:^|[{;])[ \t]*(?:indirect +)?case +(?!let\b|var\b|is\b)(\w+(?: *, *\w+)*) *(?=[(=\n}]|$)", re.M)


@rule
def dead(tree):
    """A name is dead if each place of the package that has it declares it."""
    found = []
    for file in tree.sources:
        found += [(file, d) for d in file.structure[0] if not file.has("override", d)]
        for match in CASES.finditer(file.code):
            found += [(file, Declaration("case", name.group(), match.start(1) + name.start(), 0, False))
                      for name in re.finditer(r"\w+", match[1])]
    declared = collections.Counter(declaration.name for _, declaration in found)
    for file, declaration in found:
        name = declaration.name
        if tree.names[name] == declared[name] and name not in CALLED_BY_OTHERS:
            yield Finding(file.path, file.line(declaration.position), name,
                          f"Nothing uses the {declaration.kind} {name}. Delete it, or test it if it is public.")


@rule
def small(tree):
    for file in tree.sources:
        lines = file.text.count("\n")
        if lines < SMALL:
            yield Finding(file.path, 1, "", f"The file has {lines} lines, less than {SMALL}. "
                          "Move its subject to the file that needs it.")


@rule
def long(tree):
    for file in tree.under("Sources/", "Migrations/", "Tests/", "Benchmarks/"):
        for name, start, end in file.structure[1]:
            lines = file.code.count("\n", start, end) + 1
            if lines > LONG:
                yield Finding(file.path, file.line(start), name,
                              f"{name} has {lines} lines, more than {LONG}. Give its steps names of their own.")


def folder_of(path):
    """The target of a source file, and the folder of the target that it is in."""
    parts = path.split("/")
    target, rest = ("Migrations", parts[1:]) if parts[0] == "Migrations" else (parts[1], parts[2:])
    return target, rest[0] if len(rest) > 1 else "."


def components(edges):
    """Which nodes reach each other: each node, and the first node of its component."""
    nodes = sorted({node for edge in edges for node in edge})
    reach = {node: {b for a, b in edges if a == node} for node in nodes}
    for middle in nodes:
        for node in nodes:
            if middle in reach[node]:
                reach[node] |= reach[middle]
    return {node: min([node] + [b for b in reach[node] if node in reach[b]]) for node in nodes}


def uses_between(folders):
    """What each folder uses of another: (folder, other) to the places as (path, line, name)."""
    # Names that one folder alone declares: at the top of a file, or as a type in an extension.
    owners, nested, declaring = {}, set(), collections.defaultdict(set)
    for folder, files in folders.items():
        for file in files:
            for declaration in file.structure[0]:
                kind, name = declaration.kind, declaration.name
                if kind not in TYPES and declaration.depth:
                    continue
                declaring[name].add(folder)
                if declaration.depth and not declaration.in_extension:
                    continue
                if not file.has("(?:file)?private", declaration):
                    owners[name] = folder, kind
                    if declaration.depth:
                        nested.add(name)
    owners = {name: owner for name, owner in owners.items() if len(declaring[name]) == 1}
    uses = collections.defaultdict(list)
    for folder, files in folders.items():
        for file in files:
            for name in (file.undotted | (nested & file.names.keys())) & owners.keys():
                other, kind = owners[name]
                if other == folder:
                    continue
                # A nested type stands behind the dot of its outer type. `name:` is a label.
                before = r"\b" if name in nested else r"(?<![.\w])(?<!func )"
                after = r"\s*[(<]" if kind == "func" else r"\b(?!:)"
                if match := re.search(before + name + after, file.code):
                    uses[folder, other].append((file.path, file.line(match.start()), name))
    return uses


def some(places):
    names = sorted({name for _, _, name in places})
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


@rule
def circles(tree):
    """Pairs of folders that use each other, and the uses that close a longer circle around such pairs.

    Who cuts a pair may find a longer circle behind it. It is new: cut it too, or write its uses into the list by hand.
    """
    targets = collections.defaultdict(lambda: collections.defaultdict(list))
    for file in tree.sources:
        target, folder = folder_of(file.path)
        targets[target][folder].append(file)
    for target, folders in targets.items():
        uses = uses_between(folders) if len(folders) > 1 else {}
        pairs = [(a, b) for a, b in sorted(uses) if a < b and (b, a) in uses]
        for a, b in pairs:
            # The direction with fewer uses is the one to cut.
            if len(uses[a, b]) < len(uses[b, a]):
                less, more = (a, b), (b, a)
            else:
                less, more = (b, a), (a, b)
            path, line, _ = min(uses[less])
            yield Finding(path, line, f"{a} <-> {b}",
                          f"{less[0]} uses {less[1]} ({some(uses[less])}), and {more[0]} uses {more[1]} "
                          f"({some(uses[more])}). Move what both need into the lower folder.", target)
        # Folders joined by pairs count as one.
        joined = components([edge for a, b in pairs for edge in ((a, b), (b, a))])
        lumps = {edge: tuple(joined.get(folder, folder) for folder in edge) for edge in uses}
        around = components([edge for edge in lumps.values() if edge[0] != edge[1]])
        for (a, b), (first, second) in sorted(lumps.items()):
            if first != second and around[first] == around[second]:
                path, line, _ = min(uses[a, b])
                yield Finding(path, line, f"{a} -> {b}",
                              f"{a} uses {b} ({some(uses[a, b])}), and {b} reaches {a} over other folders. "
                              "Move what both need into the lower folder.", target)


LINK = re.compile(r"(!?)\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)"
                  r"|^\[[^\]]+\]:\s+(\S+)", re.M)
DOC_LINK = re.compile(r"<doc:([^>#\s]*)(?:#([^>]*))?>")


def prose(text):
    """Markdown without code: blocks and spans become spaces."""
    text = re.sub(r"^( *)(```+|~~~+).*?^ *\2[ \t]*$", lambda match: blank(match.group()), text, flags=re.M | re.S)
    return re.sub(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", lambda match: blank(match.group()), text)


def anchors(text):
    """The anchors of the headings, as GitHub makes them, and as DocC does."""
    text = re.sub(r"^( *)(```+|~~~+).*?^ *\2[ \t]*$", "", text, flags=re.M | re.S)
    found, seen = set(re.findall(r"<a (?:name|id)=\"([^\"]+)\"", text)), collections.Counter()
    for heading in re.findall(r"^#{1,6} +(.+?)[ #]*$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found |= {f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor, re.sub(r"[^\w\-]+", "-", heading).strip("-")}
        seen[anchor] += 1
    return found


@rule
def links(tree):
    pages = {path: text for path, text in tree.files.items() if path.endswith(".md") and text is not None}
    folders = {path.rsplit("/", n)[0] for path in tree.files for n in range(1, path.count("/") + 1)}
    # A DocC page by its name, and by its module and name.
    articles = {}
    for path in pages:
        if match := re.search(r"(?:^|/)(\w+)\.docc/(?:.*/)?([^/]+)\.md$", path):
            articles[match[2]] = articles[f"{match[1]}/{match[2]}"] = path
            articles.setdefault(match[1], path)
    anchors_of = {}

    def has_anchor(path, anchor):
        if path not in anchors_of:
            anchors_of[path] = anchors(pages[path])
        return anchor in anchors_of[path] or anchor.lower() in anchors_of[path]

    for path, text in sorted(pages.items()):
        text = prose(text)
        for match in LINK.finditer(text):
            link = match[2] or match[3]
            if re.match(r"[a-z][a-z+.-]*:", link):
                continue
            target, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            line = text.count("\n", 0, match.start()) + 1
            if target not in tree.files and target not in folders and target != ".":
                yield Finding(path, line, link, f"There is no file {target}. Correct or remove the link.")
            elif anchor and target in pages and not has_anchor(target, anchor):
                yield Finding(path, line, link, f"{target} has no heading #{anchor}. Correct the link.")
        for match in DOC_LINK.finditer(text):
            yield Finding(path, text.count("\n", 0, match.start()) + 1, match.group(),
                          "Write the path of the page, which leads there where the code is hosted too.")
    for file in tree.under("Sources/", "Migrations/", "Tests/TestSupport/"):
        path, text = file.path, file.text
        for match in DOC_LINK.finditer(text):
            name, anchor = match[1].removeprefix("/documentation/"), match[2]
            line = text.count("\n", 0, match.start()) + 1
            if name and name not in articles:
                # A symbol: its last part is declared somewhere.
                if not tree.names[re.match(r"\w*", name.rsplit("/", 1)[-1]).group()]:
                    yield Finding(path, line, match.group(), f"There is no page {name}. Correct the link.")
            elif anchor and (name or path in pages) and not has_anchor(articles.get(name, path), anchor):
                yield Finding(path, line, match.group(), f"The page has no heading {anchor}. Correct the link.")


# Apple asks why a program calls these: the categories, and code that calls them. Code of the command counts as that of an app.
REQUIRED_REASONS = {
    "NSPrivacyAccessedAPICategoryFileTimestamp": r"\b(?:f|l)?stat(?:at)?\(|\bcreationDate\b|\bcontentModificationDate",
    "NSPrivacyAccessedAPICategoryDiskSpace": r"\bf?statv?fs\(|\bvolumeAvailableCapacity",
    "NSPrivacyAccessedAPICategorySystemBootTime": r"\bsystemUptime\b|\bmach_absolute_time\b",
    "NSPrivacyAccessedAPICategoryUserDefaults": r"\bUserDefaults\b",
}


def privacy(tree):
    """The privacy manifest, which must be a property list, says the same categories as the code."""
    for path in sorted(path for path in tree.files if path.endswith(".xcprivacy")):
        try:
            manifest = plistlib.loads((tree.files[path] or "").encode())
            declared = {entry["NSPrivacyAccessedAPIType"] for entry in manifest["NSPrivacyAccessedAPITypes"]
                        if entry["NSPrivacyAccessedAPITypeReasons"]}
        except (ValueError, KeyError, TypeError, ExpatError, plistlib.InvalidFileException) as error:
            yield Finding(path, 1, "no manifest", f"It is no privacy manifest: {error!r}.")
            continue
        for category, calls in REQUIRED_REASONS.items():
            users = [file.path for file in tree.sources if re.search(calls, file.code)]
            if bool(users) != (category in declared):
                yield Finding(path, 1, category, f"{category} is {'not ' * (category not in declared)}declared, and "
                              f"{'called in ' + users[0] if users else 'no source calls it'}.")


@rule
def files(tree):
    for path, text in sorted(tree.files.items()):
        if path.startswith(("Scripts/", ".ci/")) and (text or "").startswith("#!") and path not in tree.executable:
            yield Finding(path, 1, "not executable", f"The script is not executable: chmod +x {path}.")
    for path in sorted(tree.tracked):
        if re.search(r"(?:^|/)(?:\.build[^/]*/|\.swiftpm/|Package\.resolved$|DerivedData/)", path):
            yield Finding(path, 1, "tracked", f"A build made the file: git rm --cached {path}.")
    yield from privacy(tree)
    # The picture of the targets, and the table below it.
    package = tree.files.get("Package.swift") or ""
    for path in sorted(tree.files):
        if path.endswith(("/targets.svg", "/HowItWorks.md")):
            for target in sorted(set(re.findall(r"\.(?:target|macro|executableTarget|systemLibrary)\(\s*name: \"(C?Strata\w*)\"", package))):
                if not re.search(rf"\b{target}\b", tree.files[path] or ""):
                    yield Finding(path, 1, target, f"{target} is a target of Package.swift and is not there.")
