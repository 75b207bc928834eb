import Foundation
import FoundationXML
import ServerSupport

/// A parsed Atom or RSS feed.
struct Feed {
    /// The texts of the feed's own elements by name.
    let head: [String: String]
    /// The addresses of the feed's own links by relation.
    let links: [String: String]
    let entries: [[String: String]]

    /// Throws if the answer is not well-formed XML.
    init(_ answer: RunningService.Answer) throws {
        let reader = Reader()
        let parser = XMLParser(data: answer.body)
        parser.delegate = reader
        guard answer.status == 200, parser.parse() else {
            throw TestFailure("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        (head, links, entries) = (reader.head, reader.links, reader.entries)
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var head: [String: String] = [:]
        var links: [String: String] = [:]
        var entries: [[String: String]] = []
        private var isInEntry = false
        private var text = ""

        func parser(
            _ parser: XMLParser,
            didStartElement element: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            text = ""
            if ["entry", "item"].contains(element) {
                isInEntry = true
                entries.append([:])
            }
            if !isInEntry, let rel = attributes["rel"] { links[rel] = attributes["href"] }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser,
            didEndElement element: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            if ["entry", "item"].contains(element) {
                isInEntry = false
            } else if isInEntry {
                entries[entries.count - 1][element] = text
            } else {
                head[element] = text
            }
        }
    }
}
