"""The modules of an Apple platform, made from what a Linux toolchain has.

Swift, _Concurrency, Observation, Testing and others are compiled for the platform from the toolchain's interfaces,
which say since when each declaration is available. Darwin is the macOS headers of the PyPI package ziglang, and an overlay
made from the interface of Glibc. Foundation and Dispatch exist only as compiled modules of Linux: the target in them is
replaced by one of the same length.
"""
import glob, hashlib, os, re, shutil, subprocess, sys, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINUX = "x86_64-unknown-linux-gnu"
# The package that brings the headers. Another version makes the modules again.
HEADERS = "ziglang==0.17.1"
# What comes before the version.
TRIPLES = {"macos": "x86_64-apple-macosx", "ios": "arm64-apple-ios", "tvos": "arm64-apple-tvos",
           "watchos": "arm64_32-apple-watchos"}
STANDARD = ("Swift", "SwiftOnoneSupport", "_Concurrency")
INTERFACES = (*STANDARD, "_StringProcessing", "Darwin", "Synchronization", "Observation", "_RegexParser",
              "RegexBuilder")
COMPILED = ("Dispatch", "Foundation", "FoundationEssentials", "FoundationInternationalization",
            "_FoundationCollections")
TESTING = ("_TestDiscovery", "_TestingInterop", "Testing", "_Testing_Foundation")
# What Swift's overlay of Darwin has and that of Glibc has not, or has in another form.
ERRORS = """
EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF EDEADLK ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENODEV
ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE ERANGE EAGAIN ETIMEDOUT ECONNREFUSED ELOOP
ENAMETOOLONG ENOTEMPTY EDQUOT ESTALE ENOLCK ENOSYS EOVERFLOW
""".split()
DARWIN = """
public enum POSIXErrorCode : Swift.Int32, Swift.Sendable {
""" + "".join(f"  case {name}\n" for name in ERRORS) + """
  public init?(rawValue: Swift.Int32)
  public typealias RawValue = Swift.Int32
  public var rawValue: Swift.Int32 { get }
}
public var stdin: Swift.UnsafeMutablePointer<Darwin.FILE> { get set }
public var stdout: Swift.UnsafeMutablePointer<Darwin.FILE> { get set }
public var stderr: Swift.UnsafeMutablePointer<Darwin.FILE> { get set }
public var SIG_DFL: Darwin.sig_t? { get }
public var SIG_IGN: Darwin.sig_t { get }
public var SIG_ERR: Darwin.sig_t { get }
@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func fork() -> Swift.Int32
public var TIOCGWINSZ: Swift.UInt { get }
"""


class SDK:
    """The modules of one platform, in the folder of the cache that bears the platform's name and version."""

    def __init__(self, cache, platform, version):
        self.usr = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swift"))))
        self.linux = f"{self.usr}/lib/swift/linux"
        self.is_narrow = platform == "watchos"
        self.triple = TRIPLES[platform] + version
        self.cache = os.path.join(cache, self.key())
        self.folder = os.path.join(self.cache, f"{platform}-{version}")
        for old in set(glob.glob(os.path.join(cache, "modules-*"))) - {self.cache}:
            shutil.rmtree(old)

    def key(self):
        """A name for what decides the modules: the compiler, the headers and this program."""
        digest = hashlib.sha256(subprocess.check_output(["swift", "--version"], stderr=subprocess.DEVNULL))
        for path in (__file__, os.path.join(HERE, "darwin.modulemap")):
            with open(path, "rb") as file:
                digest.update(file.read())
        return "modules-" + digest.hexdigest()[:12]

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def arguments(self):
        """Of the compiler, for a source that imports these modules."""
        # Dispatch has code of Linux for its default arguments, with an Int of 64 bits: it is left where it is.
        narrow = ["-Xllvm", "-sil-disable-pass=mandatory-linker"] if self.is_narrow else []
        return [*narrow, "-target", self.triple, "-disable-objc-interop", "-disable-target-os-checking",
                "-module-cache-path", self.path("clang"), "-resource-dir", f"{self.usr}/lib/swift",
                "-sdk", self.path("sdk"), "-I", self.path("modules"),
                "-plugin-path", f"{self.usr}/lib/swift/host/plugins",
                "-plugin-path", f"{self.usr}/lib/swift/host/plugins/testing"]

    def compile(self, *arguments):
        return subprocess.run([f"{self.usr}/bin/swift-frontend", *arguments], capture_output=True, text=True)

    def make(self, with_testing):
        """Makes the modules that are not there yet."""
        if not os.path.exists(self.path("sdk/usr/include")):
            os.makedirs(self.path("sdk/usr"), exist_ok=True)
            shutil.copytree(self.headers(), self.path("sdk/usr/include"))
        for name in ("interfaces", "modules"):
            os.makedirs(self.path(name), exist_ok=True)
        for name in INTERFACES:
            # Its interface has atomics of 64 bits. Foundation imports it; Scripts/tidy forbids it in the package.
            if self.is_narrow and name == "Synchronization":
                self.make_from_source(name, "")
            else:
                self.make_from_interface(name)
        for name in COMPILED:
            self.patch(name)
        self.make_from_source("Glibc", "@_exported import Darwin\n@_exported import SwiftGlibc\n")
        for name in TESTING if with_testing else ():
            self.make_from_interface(name)

    def headers(self):
        """The folder of Darwin's headers, which is downloaded once."""
        folder = os.path.join(self.cache, "include")
        if os.path.isdir(folder):
            return folder
        new, wheels = folder + ".new", folder + ".wheels"
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary", ":all:", "--dest", wheels, HEADERS], check=True)
        with zipfile.ZipFile(glob.glob(os.path.join(wheels, "*.whl"))[0]) as wheel:
            for name in wheel.namelist():
                match = re.search(r"/lib/libc/include/any-(?:darwin|macos)-any/(.+[^/])$", name)
                if match:
                    path = os.path.join(new, match[1])
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "wb") as file:
                        file.write(wheel.read(name))
        shutil.copy(os.path.join(HERE, "darwin.modulemap"), os.path.join(new, "module.modulemap"))
        write(os.path.join(new, "glibc.h"), "#include <stdlib.h>\n#include <unistd.h>\n#include <string.h>\n")
        os.rename(new, folder)
        shutil.rmtree(wheels)
        return folder

    def patch(self, name):
        """Foundation has no interface. A compiled module loads if the target in it is this one."""
        path = self.path("modules", name + ".swiftmodule")
        if os.path.exists(path):
            return
        target = self.triple
        if len(target) < len(LINUX):
            target += ("" if "." in target else ".") + "0" * len(LINUX)
        target = target[:len(LINUX)]
        with open(f"{self.linux}/{name}.swiftmodule/{LINUX}.swiftmodule", "rb") as file:
            data = file.read()
        if self.is_narrow:
            # The compiler would inline this operator, whose code has an Int of 64 bits: under another name it is
            # not found.
            data = data.replace(b"CocoaErrorV4CodeVSQAASQ2eeoi", b"CocoaErrorV4CodeVSQAASQ2eeoX")
        with open(path, "wb") as file:
            file.write(data.replace(LINUX.encode(), target.encode()))

    def make_from_source(self, name, text):
        """A module of this text."""
        path = self.path("modules", name + ".swiftmodule")
        if os.path.exists(path):
            return
        source = self.path("interfaces", name + ".swift")
        write(source, text)
        made = self.compile("-emit-module", "-o", path, "-module-name", name, "-parse-as-library", source,
                            *self.arguments())
        if made.returncode:
            sys.exit(f"The module {name} does not compile for {self.triple}:\n{made.stderr[-2000:]}")

    def make_from_interface(self, name):
        path = self.path("modules", name + ".swiftmodule")
        if os.path.exists(path):
            return
        interface = self.path("interfaces", name + ".swiftinterface")
        write(interface, self.interface(name))
        options = []
        if name not in TESTING:
            options = ["-disable-implicit-concurrency-module-import",
                       "-disable-implicit-string-processing-module-import",
                       "-parse-stdlib" if name in STANDARD else "-enable-builtin-module"]
        made = self.compile("-compile-module-from-interface", interface, "-o", path, "-module-name", name,
                            "-disable-availability-checking", *options, *self.arguments())
        if not os.path.exists(path):
            sys.exit(f"The module {name} does not compile for {self.triple}:\n{made.stderr[-2000:]}")

    def interface(self, name):
        linux = "Glibc" if name == "Darwin" else name
        with open(f"{self.linux}/{linux}.swiftmodule/{LINUX}.swiftinterface", encoding="utf-8") as file:
            text = file.read()
        text = text.replace(f"-target {LINUX}", f"-target {self.triple}")
        if name == "Darwin":
            return darwin(text)
        text = re.sub(r"^ *@backDeployed\(before:[^)]*\)\n", "", text, flags=re.M)
        text = re.sub(r"^import Glibc$", "import Darwin", text, flags=re.M)
        if name == "Swift":
            # Darwin's headers do not declare these two.
            for function, parameters in (("_stdlib_remainderl", "_ a: Swift.Float80, _ b: Swift.Float80"),
                                         ("_stdlib_squareRootl", "_ a: Swift.Float80")):
                text = text.replace(function + "(", function + "_(")
                text += f"@usableFromInline internal func {function}_({parameters}) -> Swift.Float80\n"
        if name == "Synchronization":
            text = text.replace("_swift_stdlib_gettid()", "(0 as UInt32)")
        return narrow(text) if self.is_narrow and name == "Swift" else text


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def darwin(text):
    """Swift's overlay of Darwin, from that of Glibc."""
    for removed in (r"public enum POSIXErrorCode.*?\n}\n",
                    r"public typealias sighandler_t.*?public typealias Semaphore[^\n]*\n",
                    r"public var SEM_FAILED.*?\n}\n"):
        text = re.sub(removed, "", text, count=1, flags=re.S)
    text = re.sub(r"public func sem_open[^\n]*\n|import Swift(?:Overlay)?Shims\n", "", text)
    text = text.replace("SwiftOverlayShims.time", "Darwin.time").replace("swiftGlibc", "swiftDarwin")
    text = re.sub(r"\b(?:SwiftGlibc|Glibc)\b", "Darwin", text)
    return text + DARWIN


INTEGERS = re.compile(
    r"^(?:@frozen public struct U?Int :|extension Swift\.U?Int :|"
    r"extension Swift\.SIMD\d+ where Scalar == Swift\.U?Int\b|"
    r"extension Swift\.SIMDMask where Storage == Swift\.SIMD\d+<Swift\.Int>)[^\n]*\{\n.*?^}\n", re.M | re.S)


def narrow(text):
    """The interface of Swift with an Int and a UInt of 32 bits, as on most watches. The toolchain's has 64."""
    def narrowed(match):
        block = re.sub(r"(?<=[_.x])Int64(?!\d)", "Int32", match[0])
        block = re.sub(r"(?<=_)Int128(?!\d)", "Int64", block)
        # A Word already has 32 bits.
        block = re.sub(r"[sz]ext(?=OrBitCast_Word_)", "trunc", block)
        block = block.replace("truncOrBitCast_Int32_Word", "zextOrBitCast_Int32_Word")
        block = block.replace("UInt64(_value)", "UInt64(UInt(_value))")
        for wide, less in ((r"-92233\d+\.0", "-2147483649.0"), (r"\b9223372036854775808\.0", "2147483648.0"),
                           (r"\b18446744073709551616\.0", "4294967296.0"), (r"\b63\b", "31"), (r"\b64\b", "32")):
            block = re.sub(wide, less, block)
        return block

    text = INTEGERS.sub(narrowed, text)
    # Where other types convert from and to the two.
    for wide, less in (
        (r"(init\(_ v: Swift\.U?Int\) \{\s+_value = Builtin\.[su]itofp_)Int64", r"\1Int32"),
        (r"(= U?Int\(truncatingIfNeeded: value\)\s+_value = Builtin\.[su]itofp_)Int64", r"\1Int32"),
        (r"(return UInt\(\s+Builtin\.\w+OrBitCast_\w+_)Int64", r"\1Int32"),
        (r"(return UInt\(\s+Builtin\.)[sz]ext(?=OrBitCast_Int64_Int32)", r"\1trunc"),
        (r"Builtin\.truncOrBitCast_Int64_Int64\(bits\b", "Builtin.zextOrBitCast_Int32_Int64(bits"),
        (r"Builtin\.truncOrBitCast_Int64_(\w+)\(bits\b", r"Builtin.truncOrBitCast_Int32_\1(bits"),
        (r"UInt\(Builtin\.trunc_Int128_Int64\(_value\)\)", "UInt(Builtin.trunc_Int128_Int32(_value))"),
        (r"(-> Swift\.Int \{\s+[^\n]*\s+return Int\(Builtin\.assumeNonNegative_)Int64", r"\1Int32"),
        (r"return 0x4000_0000_0000_0000$", "return 0x4000_0000"),
    ):
        text = re.sub(wide, less, text, flags=re.M)
    return text
