import Foundation
import TestSupport
import Testing

@testable import Domain

@Suite("Error messages")
struct ErrorMessageTests {
    private static func translated(_ message: ErrorMessage, _ translations: [String: String]) -> String {
        message.text { translations[$0] ?? $0 }
    }

    @Test("A literal becomes a template and its arguments")
    func templates() {
        let (most, name) = (5, "Argo")
        let message: ErrorMessage = "expected at most \(most) names, found \(name) and \(2.5)"
        #expect(message.template == "expected at most {1} names, found {2} and {3}")
        #expect(message.text == "expected at most 5 names, found Argo and 2.5")
        #expect("\(message)" == message.text && message.description == message.text)
        #expect(("expected a name" as ErrorMessage).template == "expected a name")
        #expect(message == ErrorMessage(verbatim: "expected at most 5 names, found Argo and 2.5"))
    }

    @Test("A translation may have the arguments in another order, and more than once")
    func order() {
        let message: ErrorMessage = "expected \("a"), found \("b")"
        let translations = ["expected {1}, found {2}": "gefunden: {2}, erwartet: {1}, nicht {2}"]
        #expect(Self.translated(message, translations) == "gefunden: b, erwartet: a, nicht b")
    }

    @Test("A message in a message is translated, at every depth, and so is a literal in an interpolation")
    func nesting() {
        let isEmpty = false
        let inner: ErrorMessage = "expected a number, not \("x")"
        let middle: ErrorMessage = "line \(7): \(inner)"
        let message: ErrorMessage = "\("filter"): \(middle); the file is \(isEmpty ? "empty" : "gone")"
        #expect(message.text == "filter: line 7: expected a number, not x; the file is gone")
        let translations = [
            "expected a number, not {1}": "atteso un numero, non {1}", "line {1}: {2}": "riga {1}: {2}",
            "gone": "sparito",
            "{1}: {2}; the file is {3}": "{1}: {2}; il file è {3}",
        ]
        let text = Self.translated(message, translations)
        #expect(text == "filter: riga 7: atteso un numero, non x; il file è sparito")
    }

    @Test("Braces of arguments are no placeholders, and neither are those of a template without such an argument")
    func braces() {
        let message: ErrorMessage = "expected \("{2}"), found \("{1} {x} }{")"
        #expect(message.text == "expected {2}, found {1} {x} }{")
        #expect(
            Self.translated(message, ["expected {1}, found {2}": "{2}/{1}/{3}/{0}/{/{}"])
                == "{1} {x} }{/{2}/{3}/{0}/{/{}")
        #expect(("a {1} b" as ErrorMessage).text == "a {1} b")
        #expect(ErrorMessage(verbatim: "{1}").text == "{1}")
    }

    @Test("What is verbatim is never translated")
    func verbatim() {
        #expect(Self.translated(ErrorMessage(verbatim: "gone"), ["gone": "sparito"]) == "gone")
        #expect(Self.translated("is \("gone" as String)", ["gone": "sparito", "is {1}": "è {1}"]) == "è gone")
    }

    @Test("A message without a translation is English, and one of which only the arguments have a translation is mixed")
    func missing() {
        #expect(Self.translated("line \(1): \("gone" as ErrorMessage)", ["gone": "sparito"]) == "line 1: sparito")
        #expect(("no text of this service" as ErrorMessage).text(in: .italian) == "no text of this service")
    }

    @Test("Lists of names end with a word of the language")
    func lists() {
        #expect(["JPEG", "PNG", "WebP"].alternatives.text == "JPEG, PNG or WebP")
        #expect(["JPEG", "PNG"].conjunction.text == "JPEG and PNG")
        #expect(["JPEG"].alternatives.text == "JPEG" && [String]().alternatives.text == "")
        #expect(["JPEG", "PNG", "WebP"].alternatives.text(in: .italian) == "JPEG, PNG o WebP")
        #expect(["JPEG", "PNG", "WebP"].conjunction.text(in: .italian) == "JPEG, PNG e WebP")
    }

    @Test("An error of a field is in the caller's language, except the name of the field")
    func fields() {
        let error = ServiceError.invalid("limit", "expected a number between \(1) and \(200)")
        #expect(error.message.text(in: .italian) == "limit: atteso un numero tra 1 e 200")
        #expect(error.description == "limit: expected a number between 1 and 200" && error.field == "limit")
        #expect(error.message.text(in: .english) == error.description)
    }
}

@Suite("Translations of error messages")
struct ErrorTranslationTests {
    private static let script = Repository.root.appending(
        path: "Sources/doggofinder/Packaging/error_messages.py")

    /// - Parameter folder: nil for the sources of this project.
    private static func templates(_ folder: URL? = nil) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path] + (folder.map { [$0.path] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let list = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([String].self, from: list)
    }

    private static let templates = Result { try templates() }

    private static func placeholders(_ text: String) -> [String] {
        text.matches(of: #/\{\d+\}/#).map { String($0.output) }.sorted()
    }

    @Test(
        "Each language has all messages of the sources and no others, with the same placeholders", arguments: translated
    )
    func translations(language: Language) throws {
        let templates = try Self.templates.get()
        let translations = language.errorMessages
        #expect(templates.count > 600)
        #expect(templates.filter { translations[$0] == nil } == [], "run make language LANG=\(language.code)")
        #expect(Set(translations.keys).subtracting(templates) == [], "run make language LANG=\(language.code)")
        for (template, text) in translations {
            #expect(Self.placeholders(text) == Self.placeholders(template), "\(template)")
            #expect(text.trimmed == text && !text.isEmpty, "\(template)")
        }
    }

    private static let translated = Language.allCases.filter { $0 != .english }

    @Test("English has no translations, and no other language is English")
    func languages() {
        #expect(Language.english.errorMessages.isEmpty)
        for language in Self.translated {
            // Words of formats, such as NULL, are the same.
            let same = language.errorMessages.filter { $0.key == $0.value && $0.key.contains(" ") }.keys
            #expect(same.filter { $0.contains("expected") } == [], "\(language.code)")
        }
    }

    @Test(
        "The reader finds the literals that are messages, and no others",
        arguments: [
            (#"throw ServiceError(.notFound, "no such \(noun)", field: "id")"#, ["no such {1}"]),
            (#"throw .invalid("id", "expected one")"#, ["expected one"]),
            (#"throw field.invalid("expected it \("x") times")"#, ["expected it {1} times", "x"]),
            (#"throw ServiceError.invalid("q", name == "lon" ? "a" : "b")"#, ["a", "b"]),
            (#"throw ServiceError(.conflict, text.map { "c \($0["d"])" } ?? "e")"#, ["c {1}", "e"]),
            (#"throw .invalid("q", "of \(names.joined(separator: " x "))")"#, ["of {1}"]),
            (#"static let form: ErrorMessage = "f""#, ["f"]),
            (#"static let form: String = "f""#, []),
            ("let form: ErrorMessage =\n    isOne\n    ? \"g\"\n    : \"h\"\nlet other = \"i\"", ["g", "h"]),
            (#"func reason() -> ErrorMessage? { let x = "y"; return "j" }"#, ["j"]),
            (#"var reason: ErrorMessage { switch self { case .k: "k"; default: "l" } }"#, ["k", "l"]),
            (#"// throw ServiceError(.conflict, "m")"#, []),
            (#"/* /* */ throw ServiceError(.conflict, "n") */"#, []),
            (##"throw ServiceError(.conflict, #"o "p" \#(q)"#)"##, ["o \"p\" {1}"]),
            (
                "throw ServiceError(.conflict, \"\"\"\n        r \\\n        s\n          t\n        \"\"\")",
                ["r s\n  t"]
            ),
            (#"let r = /"/; throw ServiceError(.conflict, "u \(1 / 2) / \"v\"")"#, ["u {1} / \"v\""]),
            (#"other("w", "x")"#, []),
            (#"expect(5) { "at most \($0)" }"#, ["at most {1}"]),
        ]
    )
    func reader(source: String, found: [String]) throws {
        let folder = try TemporaryFolder()
        let declarations = """
            struct ServiceError {
                init(_ code: Code, _ message: ErrorMessage, field: String? = nil) {}
                static func invalid(_ field: String, _ expectation: ErrorMessage) -> ServiceError {}
            }
            func expect(_ most: Int, _ message: (Int) -> ErrorMessage) {}
            extension Field {
                func invalid(_ expectation: ErrorMessage) -> ServiceError {}
            }

            """
        try (declarations + source).write(
            to: folder.url.appending(path: "Source.swift"), atomically: true, encoding: .utf8)
        #expect(try Self.templates(folder.url) == found)
    }
}
