"""Reads Swift: comments and strings become spaces, so that what is left is code, at the same positions."""
import collections, re
from functools import cached_property

Declaration = collections.namedtuple("Declaration", "kind name position depth in_extension")

OPENING = r'//[^\n]*|/\*|#*"""(?=[ \t]*\n)|#*"|#+/|/(?![\s=)])|`[^`\n]*`'
IN_CODE = re.compile(OPENING)
IN_INTERPOLATION = re.compile(OPENING + r"|[()]")
COMMENT_EDGE = re.compile(r"/\*|\*/")
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\/\n\[])+/")
BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};]|\b(?:return|in|try))\s*\Z")
IN_STRING = {}


def string_pattern(hashes, is_multiline):
    """What ends a string or starts an interpolation in it."""
    key = hashes, is_multiline
    if key not in IN_STRING:
        end = rf'"""{hashes}' if is_multiline else rf'"{hashes}|\n'
        IN_STRING[key] = re.compile(rf"\\{hashes}(\()|\\{hashes}[^(]|{end}")
    return IN_STRING[key]


def blank(text):
    return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)


def code_and_comments(text):
    """The text with its comments and the inside of its strings as spaces, and the comments with their positions."""
    code, comments, position = [], [], 0
    # What is open around the position: a string as (hashes, is_multiline), an interpolation as its open parentheses.
    open_ = []
    while True:
        if open_ and isinstance(open_[-1], tuple):
            match = string_pattern(*open_[-1]).search(text, position)
            if not match:
                break
            code.append(blank(text[position:match.start()]))
            found, position = match.group(), match.end()
            if match.group(1):
                code.append(" " * (len(found) - 1) + "(")
                open_.append(1)
            elif found.startswith("\\"):
                code.append(blank(found))
            else:
                code.append(found)
                open_.pop()
            continue
        match = (IN_INTERPOLATION if open_ else IN_CODE).search(text, position)
        if not match:
            break
        code.append(text[position:match.start()])
        found, position = match.group(), match.end()
        if found in "()":
            open_[-1] += 1 if found == "(" else -1
            if open_[-1] == 0:
                open_.pop()
            code.append(found)
        elif found.startswith("//"):
            comments.append((match.start(), found))
            code.append(" " * len(found))
        elif found == "/*":
            depth = 1
            while depth and (edge := COMMENT_EDGE.search(text, position)):
                depth += 1 if edge.group() == "/*" else -1
                position = edge.end()
            comments.append((match.start(), text[match.start():position]))
            code.append(blank(text[match.start():position]))
        elif found.startswith("`"):
            code.append("`" + " " * (len(found) - 2) + "`" if " " in found else found)
        elif found.endswith('"'):
            code.append(found)
            open_.append((found.rstrip('"'), found.endswith('"""')))
        elif found == "/":
            literal = REGEX.match(text, match.start())
            if literal and BEFORE_REGEX.search(text[max(0, match.start() - 80):match.start()]):
                code.append("/" + " " * (len(literal.group()) - 2) + "/")
                position = literal.end()
            else:
                code.append(found)
        else:
            end = text.find("/" + found[:-1], position)
            end = len(text) if end < 0 else end + len(found)
            code.append(blank(text[match.start():end]))
            position = end
    code.append(text[position:])
    return "".join(code), comments


TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype"}
STRUCTURE = re.compile(
    r"(?P<mark>[(){}]|#(?:if|elseif|else|endif)\b)"
    # A property or accessor whose body starts on the line.
    r"|(?m:^)[ \t]*(?:(?:non)?mutating +)?(?P<accessor>get|set|willSet|didSet|_read|_modify)\b[ \w()]*\{"
    r"|(?<![.\w`])(?P<kind>func|struct|class(?! +(?:func|var|let|subscript)\b)|enum|actor|protocol|typealias"
    r"|associatedtype|extension|var|let|init|subscript|deinit)\b(?!\s*[:),])"
    r"[ ]*(?P<name>[\w.]+|`[^`\n]+`|[^\s\w(){}\[\],:.;]+)?"
    r"(?P<body>(?<=\w)[ ]*:[^={}()\n]*\{)?"
)


class Swift:
    """A Swift file: its code without comments and strings, and what it declares."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.code, self.comments = code_and_comments(text)

    def line(self, position):
        return self.text.count("\n", 0, position) + 1

    @cached_property
    def names(self):
        """How often each identifier occurs."""
        return collections.Counter(re.findall(r"\w+", self.code))

    @cached_property
    def undotted(self):
        """The identifiers that no dot precedes."""
        return set(re.findall(r"(?<![.\w])[^\W\d]\w*", self.code))

    @cached_property
    def structure(self):
        """All declarations, and all bodies of functions as (name, position, end)."""
        declarations, bodies, around, conditions = [], [], [], []
        pending, parentheses = None, 0
        for match in STRUCTURE.finditer(self.code):
            mark, kind = match["mark"], match["kind"]
            if match["accessor"]:
                around.append(("accessor", match["accessor"], match.start("accessor")))
            elif mark == "(":
                parentheses += 1
            elif mark == ")":
                parentheses -= 1
            elif mark == "{":
                # A closure inside parentheses does not start the body of the declaration around it.
                is_body = pending and parentheses == pending[3]
                around.append(pending[:3] if is_body else ("", "", 0))
                pending = None if is_body else pending
            elif mark == "}":
                if around:
                    opened, name, start = around.pop()
                    if opened in ("func", "init", "subscript", "deinit", "accessor", "var"):
                        bodies.append((name, start, match.start()))
                if pending and parentheses <= pending[3]:
                    pending = None
            elif mark == "#if":
                conditions.append(list(around))
            elif mark in ("#else", "#elseif"):
                around = list(conditions[-1]) if conditions else around
            elif mark == "#endif":
                conditions = conditions[:-1]
            else:
                # The code has spaces for a name in backticks with spaces.
                start, end = match.span("name")
                name = self.text[start:end].strip("`") if start >= 0 else ""
                in_extension = len(around) == 1 and around[0][0] == "extension"
                if name and kind not in ("extension", "init", "subscript", "deinit"):
                    declarations.append(Declaration(kind, name, start, len(around), in_extension))
                if kind in ("init", "subscript", "deinit"):
                    name = kind
                if match["body"]:
                    around.append((kind, name, match.start("kind")))
                elif kind not in ("var", "let", "typealias", "associatedtype"):
                    pending = (kind, name, match.start("kind"), parentheses)
                elif pending and parentheses <= pending[3]:
                    pending = None
        return declarations, bodies

    def has(self, modifier, declaration):
        start = self.code.rfind("\n", 0, declaration.position) + 1
        return re.search(rf"\b{modifier}\b", self.code[start:declaration.position])


class Tree:
    """The files that the rules read: path to text, or to None where only the path counts."""

    def __init__(self, files, executable=(), tracked=()):
        self.files, self.executable, self.tracked = files, set(executable), set(tracked)
        self.swift = [Swift(path, text) for path, text in sorted(files.items()) if path.endswith(".swift")]

    @cached_property
    def sources(self):
        return self.under("Sources/", "Migrations/")

    def under(self, *folders):
        return [file for file in self.swift if file.path.startswith(folders)]

    @cached_property
    def names(self):
        total = collections.Counter()
        for file in self.swift:
            total.update(file.names)
        return total
