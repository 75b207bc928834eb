import Domain
import Foundation
import Localization
@_spi(Reflection) import Swift
import TestSupport
import Testing

@testable import Mustache
@testable import Pages

@Suite("Templates and the types of their views")
struct TemplateViewTests {
    @Test("Every name in a template is a member of its view, and a template uses every member")
    func everyView() throws {
        let views = try Self.views()
        let pages = try Pages(Localization(breeds: try Bundled.breeds()), base: "")
        var comparison = Comparison(
            pages.library.templates,
            frame: ["page": FrameView.self],
            texts: pages.localizer(.english).texts.tree
        )
        for view in views { comparison.check(view.templates, view) }
        #expect(comparison.problems == [])
        #expect(Set(pages.library.templates.keys).subtracting(comparison.templatesSeen) == [])
    }

    /// The types of views that the source declares. A list of them would not contain a forgotten one.
    private static func views() throws -> [any PageView.Type] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Pages")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let texts = try files.filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
        let names = texts.flatMap { $0.matches(of: #/struct (\w+): PageView/#).map { String($0.1) } }
        // The mangled name of a struct of the module.
        return try names.map { name in
            try #require(_typeByName("5Pages\(name.utf8.count)\(name)V") as? any PageView.Type, "\(name)")
        }
    }

    private struct Dog: TemplateView {
        let name: String
        let owner: Owner?
        let toys: [String]
        let walks: [Owner]
        let age: Double
        let isGood: Bool
    }

    private struct Owner: TemplateView {
        let city: String
        let street: String?
    }

    @Test(
        "Mistakes are found also in absent views and empty lists",
        arguments: [
            ("{{name}}{{#owner}}{{city}}{{street}}{{name}}{{/owner}}", "Owner.name is unknown"),
            ("{{#walks}}{{street}}{{#toys}}{{/toys}}{{/walks}}", "Owner.toys is unknown"),
            ("{{#toys}}{{.}}{{city}}{{/toys}}", "String.city is unknown"),
            ("{{isGood}}", "Dog.isGood is not a text"), ("{{toys}}", "Dog.toys is not a text"),
            ("{{owner.city}}", "Owner.street is not used"), ("{{name}}", "Owner.city is not used"),
            ("{{age}}", "Dog.age is not a text"), ("{{t.dog.bark}}", "t.dog.bark is no text"),
            ("{{<part}}{{$other}}{{/other}}{{/part}}", "part has no block other"),
        ]
    )
    func mistakes(template: String, problem: String) throws {
        let library = try TemplateLibrary(["page": template, "part": "{{$main}}{{/main}}"])
        var comparison = Comparison(library.templates, frame: [:], texts: ["dog": ["name": "Dog"]])
        comparison.check(["page"], Dog.self)
        #expect(comparison.problems.contains("page: \(problem)") || comparison.problems.contains(problem))
    }
}

/// Compares templates with the types of their views.
private struct Comparison {
    private let templates: [String: [TemplateToken]]
    private let frame: [String: Any.Type]
    private let texts: [String: [String: String]]
    /// The names of the members that templates use, by type.
    private var used: [ObjectIdentifier: Set<String>] = [:]
    private var found: [String] = []
    private var views: [any TemplateView.Type]
    private(set) var templatesSeen: Set<String> = []
    private var template = ""

    init(_ templates: [String: [TemplateToken]], frame: [String: Any.Type], texts: [String: [String: String]]) {
        (self.templates, self.frame, self.texts) = (templates, frame, texts)
        views = frame.values.compactMap { $0 as? any TemplateView.Type }
    }

    var problems: [String] {
        let unused = allViews.flatMap { view in
            Self.members(of: view).keys.filter { used[ObjectIdentifier(view)]?.contains($0) != true }
                .map { "\(view).\($0) is not used" }
        }
        return Set(found + unused).sorted()
    }

    mutating func check(_ names: [String], _ view: any TemplateView.Type) {
        views.append(view)
        for name in names {
            template = name
            if templates[name] == nil { found.append("there is no template \(name)") }
            walkTemplate(name, view, [:])
        }
    }

    private mutating func walkTemplate(_ name: String, _ type: Any.Type, _ blocks: [String: [TemplateToken]]) {
        templatesSeen.insert(name)
        walk(templates[name] ?? [], type, blocks)
    }

    private mutating func walk(_ tokens: [TemplateToken], _ type: Any.Type, _ blocks: [String: [TemplateToken]]) {
        for token in tokens {
            switch token {
            case .text: break
            case .variable(let name, _):
                guard let value = self.type(of: name, in: type), !Self.isShown(value.type) else { break }
                found.append("\(template): \(value.name) is not a text")
            case .section(let name, let inner):
                guard let value = self.type(of: name, in: type)?.type else { break }
                let item = (value as? any AnyList.Type)?.element
                walk(inner, item ?? (value is any TemplateView.Type ? value : type), blocks)
            case .condition(let name, let inner, _):
                _ = self.type(of: name, in: type)
                walk(inner, type, blocks)
            case .partial(let name, let replacements):
                let known = Self.blocks(in: templates[name] ?? [])
                for block in replacements.keys where !known.contains(block) {
                    found.append("\(template): \(name) has no block \(block)")
                }
                walkTemplate(name, type, blocks.merging(replacements) { first, _ in first })
            case .block(let name, let inner): walk(blocks[name] ?? inner, type, blocks)
            }
        }
    }

    private static func isShown(_ type: Any.Type) -> Bool { type == String.self || type == Int.self }

    private static func blocks(in tokens: [TemplateToken]) -> Set<String> {
        tokens.reduce(into: []) { names, token in
            switch token {
            case .block(let name, let inner): names.formUnion(blocks(in: inner).union([name]))
            case .section(_, let inner), .condition(_, let inner, _): names.formUnion(blocks(in: inner))
            case .text, .variable, .partial: break
            }
        }
    }

    /// Finds the type of what a name stands for, and notes its use.
    private mutating func type(of name: TemplateName, in view: Any.Type) -> (name: String, type: Any.Type)? {
        guard let first = name.first else { return ("\(view)", view) }
        if first == "t" {
            let isText = name.rest.count == 2 && texts[name.rest[0]]?[name.rest[1]] != nil
            if !isText { found.append("\(template): t.\(name.rest.joined(separator: ".")) is no text") }
            return isText ? (first, String.self) : nil
        }
        var value: (name: String, type: Any.Type) = frame[first].map { (first, $0) } ?? ("", view)
        for part in frame[first] == nil ? [first] + name.rest : name.rest {
            guard let member = Self.members(of: value.type)[part] else {
                found.append("\(template): \(value.type).\(part) is unknown")
                return nil
            }
            used[ObjectIdentifier(value.type), default: []].insert(part)
            value = ("\(value.type).\(part)", member)
        }
        return value
    }

    /// The types of a view's stored members, without optionality.
    private static func members(of type: Any.Type) -> [String: Any.Type] {
        guard type is any TemplateView.Type else { return [:] }
        var members: [String: Any.Type] = [:]
        _ = _forEachField(of: type) { name, _, member, _ in
            members[String(cString: name)] = (member as? any AnyOptional.Type)?.wrapped ?? member
            return true
        }
        return members
    }

    /// The views, and the views in them.
    private var allViews: [any TemplateView.Type] {
        var all: [any TemplateView.Type] = []
        var next = views
        while let view = next.popLast() {
            guard !all.contains(where: { $0 == view }) else { continue }
            all.append(view)
            next += Self.members(of: view).values.compactMap { member in
                ((member as? any AnyList.Type)?.element ?? member) as? any TemplateView.Type
            }
        }
        return all
    }
}

private protocol AnyOptional {
    static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

private protocol AnyList {
    static var element: Any.Type { get }
}

extension Array: AnyList {
    fileprivate static var element: Any.Type { Element.self }
}
