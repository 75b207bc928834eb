import Localization
import Mustache

/// The reference page of the HTTP API: a frame around an `APIReferenceView` that was rendered before.
package struct APIView: PageView {
    package static let template = "api"
    let reference: String
}

/// The reference of all operations, without a frame. It depends only on the language, and rendering it takes 80 ms.
package struct APIReferenceView: PageView {
    package static let template = "api-reference"
    let start: Start
    let failures: [Failure]
    let groups: [Group]

    /// The call to begin with.
    package struct Start: TemplateView {
        /// Shell commands: the first call, and one that gets a token.
        let command, token: String
        /// The answer to the first call.
        let answer: String
    }

    /// An error that several operations have in common.
    package struct Failure: TemplateView {
        let status: Int
        let about: [Span]
        /// Whether every operation can have it.
        let isEverywhere: Bool
    }

    /// Related operations.
    package struct Group: TemplateView {
        let name, title: String
        let operations: [Operation]
    }

    package struct Operation: TemplateView {
        let id, method, path, summary, access, bodyTypes, example: String
        let about: [Span]
        let parameters, fields: [Value]
        /// The answers that only this operation has.
        let answers: [Answer]
        /// The statuses of its other errors, apart from those of every operation.
        let errors: [Int]
    }

    /// A parameter, or a field of a request body.
    package struct Value: TemplateView {
        let name, place, type: String
        let choices: [String]
        let isRequired: Bool
        let about: [Span]
    }

    package struct Answer: TemplateView {
        let status: Int
        let about: [Span]
        let types: String
    }

    /// A part of a description.
    struct Span: TemplateView {
        var text, code: String?
    }
}

extension PageBuilder {
    /// - Parameter reference: the HTML of an `APIReferenceView`.
    package func api(_ reference: String) -> APIView { APIView(reference: reference) }

    package func apiReference(
        _ start: APIReferenceView.Start,
        _ failures: [APIReferenceView.Failure],
        _ groups: [APIReferenceView.Group]
    ) -> APIReferenceView {
        APIReferenceView(start: start, failures: failures, groups: groups)
    }

    /// - Parameters:
    ///   - command: a shell command.
    ///   - answer: the answer to it.
    ///   - token: a shell command that gets a token.
    package func apiStart(command: String, answer: String, token: String) -> APIReferenceView.Start {
        APIReferenceView.Start(command: command, token: token, answer: answer)
    }

    package func apiFailure(status: Int, description: String, isEverywhere: Bool) -> APIReferenceView.Failure {
        APIReferenceView.Failure(status: status, about: spans(description), isEverywhere: isEverywhere)
    }

    /// - Parameter name: the `{name}` in the key `api.tag.{name}` of the texts.
    package func apiGroup(_ name: String, _ operations: [APIReferenceView.Operation]) -> APIReferenceView.Group {
        APIReferenceView.Group(name: name, title: localizer("api.tag.\(name)"), operations: operations)
    }

    /// - Parameters:
    ///   - access: the key of a text in the group `api` that explains how access depends on the account; empty if all
    ///     clients get the same response.
    ///   - bodyTypes: the media types that the request body can have.
    ///   - answers: the answers that only this operation has.
    ///   - errors: the statuses of its other errors, apart from those of every operation.
    ///   - example: a shell command.
    package func apiOperation(
        id: String,
        method: String,
        path: String,
        summary: String,
        description: String,
        access: String,
        parameters: [APIReferenceView.Value],
        bodyTypes: [String],
        fields: [APIReferenceView.Value],
        answers: [APIReferenceView.Answer],
        errors: [Int],
        example: String
    ) -> APIReferenceView.Operation {
        APIReferenceView.Operation(
            id: id, method: method, path: path, summary: summary,
            access: access.isEmpty ? "" : localizer("api.\(access)"), bodyTypes: bodyTypes.joined(separator: ", "),
            example: example, about: spans(description), parameters: parameters, fields: fields, answers: answers,
            errors: errors
        )
    }

    /// - Parameters:
    ///   - place: path, query or header; empty for a field.
    ///   - type: the type with its bounds.
    package func apiValue(
        name: String,
        place: String = "",
        type: String,
        choices: [String],
        isRequired: Bool,
        description: String
    ) -> APIReferenceView.Value {
        APIReferenceView.Value(
            name: name, place: place, type: type, choices: choices, isRequired: isRequired, about: spans(description)
        )
    }

    package func apiAnswer(status: Int, description: String, types: [String]) -> APIReferenceView.Answer {
        APIReferenceView.Answer(status: status, about: spans(description), types: types.joined(separator: ", "))
    }

    /// Divides a description into text and code at its backticks.
    private func spans(_ text: String) -> [APIReferenceView.Span] {
        guard !text.isEmpty else { return [] }
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, span in
            index.isMultiple(of: 2) ? .init(text: String(span)) : .init(code: String(span))
        }
    }
}
