package import Domain

/// The contents of a post about a listing: no more than its public page.
package struct SocialContent: Equatable, Sendable {
    package struct Photo: Equatable, Sendable {
        package let jpeg: [UInt8]
        /// For those who do not see it.
        package let description: String

        package init(jpeg: [UInt8], description: String) { (self.jpeg, self.description) = (jpeg, description) }
    }

    /// For example "Lost: Argo, Beagle, Fisciano (SA)".
    package let headline: String
    package let details: [String]
    /// The owner's description; it is shortened if the service takes no longer texts.
    package let description: String
    package let link: String
    /// With #.
    package let tags: [String]
    package let language: Language

    package init(
        headline: String,
        details: [String] = [],
        description: String = "",
        link: String,
        tags: [String] = [],
        language: Language
    ) {
        (self.headline, self.details) = (headline.withoutMentions, details.map(\.withoutMentions))
        (self.description, self.link, self.tags) = (description.withoutMentions, link, tags)
        self.language = language
    }

    /// Returns the whole text within a number of characters, as the measure counts them. What is the least important is cut
    /// off first; the link always stays.
    func text(atMost most: Int, _ count: (String) -> Int) -> String {
        var (headline, details, description, tags) = (headline, details, description, tags)
        func whole(_ details: [String], _ description: String) -> String {
            ([headline] + details + [description, link, tags.joined(separator: " ")]).filter { !$0.isEmpty }
                .joined(separator: "\n\n")
        }
        while count(whole(details, description)) > most {
            if !description.isEmpty {
                description = description.shortened(by: count(whole(details, description)) - most)
            } else if !details.isEmpty {
                details.removeLast()
            } else if !tags.isEmpty {
                tags = []
            } else if !headline.isEmpty {
                headline = headline.shortened(by: count(whole([], "")) - most)
            } else {
                return link
            }
        }
        return whole(details, description)
    }
}

extension String {
    /// The text with a word joiner after each @ and #, so that what users write neither calls accounts of the service nor
    /// appears under its tags.
    fileprivate var withoutMentions: String {
        replacing("@", with: "@\u{2060}").replacing("#", with: "#\u{2060}")
    }

    /// Returns the text without about so much of its end, and at least one character shorter. A character can count as several.
    fileprivate func shortened(by excess: Int) -> String {
        let rest = count - 1 - Swift.min(excess, Swift.max(1, count / 2))
        return rest > 0 ? prefix(rest).trimmingSuffix { $0.isWhitespace || $0 == "…" } + "…" : ""
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isEnd: (Character) -> Bool) -> String {
        var rest = self
        while let last = rest.last, isEnd(last) { rest.removeLast() }
        return String(rest)
    }
}
