package import Foundation

/// Templates that refer to each other by name.
package struct TemplateLibrary: Sendable {
    private let templates: [String: [TemplateToken]]

    /// - Parameter texts: the templates by name.
    package init(_ texts: [String: String]) throws(TemplateError) {
        var templates: [String: [TemplateToken]] = [:]
        for (name, text) in texts {
            var parser = TemplateParser(text)
            do {
                templates[name] = try parser.parse()
            } catch {
                throw TemplateError("\(name): \(error)")
            }
        }
        for (name, tokens) in templates {
            guard let missing = TemplateToken.partials(in: tokens).first(where: { templates[$0] == nil }) else {
                continue
            }
            throw TemplateError("\(name): there is no template '\(missing)'")
        }
        self.templates = templates
    }

    /// Reads all files in the folder and its subfolders whose names end with `.mustache`. The name of a template is its
    /// path without this ending.
    package init(folder: URL) throws {
        let suffix = ".mustache"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }
        let texts = try paths.map { path in
            (String(path.dropLast(suffix.count)), try String(contentsOf: folder.appending(path: path), encoding: .utf8))
        }
        try self.init(Dictionary(uniqueKeysWithValues: texts))
    }

    /// Returns the template filled with values, in UTF-8. A `String` would have to be validated.
    ///
    /// - Parameter template: the name of a template of this library.
    package func render(_ template: String, _ values: [String: any TemplateValue]) -> [UInt8] {
        var renderer = TemplateRenderer(templates, values)
        renderer.render(templates[template] ?? [])
        return renderer.output
    }
}
