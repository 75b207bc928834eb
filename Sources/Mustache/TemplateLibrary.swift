package import Foundation

/// Templates that refer to each other by name.
package struct TemplateLibrary: Sendable {
    let templates: [String: [TemplateToken]]

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

    /// Returns the template filled with a view, in UTF-8. A `String` would have to be validated.
    ///
    /// - Parameters:
    ///   - template: the name of a template of this library.
    ///   - frame: what all templates see besides their view, by name.
    package func render(
        _ template: String,
        _ view: some TemplateView,
        frame: [String: TemplateContent] = [:]
    ) -> [UInt8] {
        var renderer = TemplateRenderer(templates, TemplateContent(view), frame: frame)
        renderer.render(templates[template] ?? [])
        return renderer.output
    }
}
