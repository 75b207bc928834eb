package import Domain
import Foundation
import Localization
import Mustache

/// The HTML part of an e-mail that has a text of its own.
struct MessageMailView: PageView {
    static let template = "mail-message"
    let lang, direction, title: String
    let paragraphs: [ParagraphView]
    let footer: [String]

    struct ParagraphView: TemplateView {
        let buttons: [MailButtonView]
        let lines: [LineView]
    }

    struct LineView: TemplateView {
        let text: String
        let isLink: Bool
    }
}

extension PageBuilder {
    /// Lines that are an address of this service become links, and an address alone in its paragraph a button with it. Others do not:
    /// users may have written them.
    fileprivate func messageMail(_ subject: String, _ text: String, footer: String) -> MessageMailView {
        MessageMailView(
            lang: localizer.language.code, direction: localizer.language.properties.direction.rawValue, title: subject,
            paragraphs: text.components(separatedBy: "\n\n").map(paragraph),
            footer: footer.components(separatedBy: "\n")
        )
    }

    private func paragraph(_ text: String) -> MessageMailView.ParagraphView {
        let lines = text.components(separatedBy: "\n").map { line in
            MessageMailView.LineView(text: line, isLink: line.hasPrefix(link("/")))
        }
        let isButton = lines.count == 1 && lines[0].isLink
        return MessageMailView.ParagraphView(
            buttons: isButton
                ? [MailButtonView(label: localizer("mail.open"), href: lines[0].text, isPrimary: true)] : [],
            lines: lines
        )
    }
}

extension Pages {
    /// Returns the HTML part of an e-mail.
    ///
    /// - Parameters:
    ///   - text: paragraphs with an empty line between them.
    ///   - footer: what every mail ends with.
    ///   - origin: the scheme and host of the service.
    package func mailHTML(
        subject: String,
        text: String,
        footer: String,
        _ language: Language,
        origin: String
    ) -> String {
        let view = builder(language, origin: origin).messageMail(subject, text, footer: footer)
        return String(decoding: library.render(MessageMailView.template, view, frame: frame(language)), as: UTF8.self)
    }
}
