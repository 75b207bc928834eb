import Localization
package import Mustache

/// The reference page of the HTTP API: a frame around an `APIReference` that was rendered before.
package struct APIReferencePage: Page {
    package let template = "api"
    package let section = PageSection.none
    private let reference: String

    /// - Parameter reference: the HTML of an `APIReference`.
    package init(_ reference: String) {
        self.reference = reference
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": compose.localizer("api.title"), "description": compose.localizer("api.lead"),
            "reference": reference,
        ]
    }
}

/// The reference of all operations, without a frame. It depends only on the language, and rendering it takes 80 ms.
package struct APIReference: Page {
    /// A group of related operations.
    package struct Group: Sendable {
        let name: String
        let operations: [Entry]

        /// - Parameter name: the `{name}` in the key `api.tag.{name}` of the texts.
        package init(name: String, operations: [Entry]) {
            self.name = name
            self.operations = operations
        }
    }

    package struct Entry: Sendable {
        let id: String
        let method: String
        let path: String
        let summary: String
        let description: String
        /// The key of a text in the group `api` that explains how access depends on the account; empty if all clients
        /// get the same response.
        let access: String
        let parameters: [Value]
        /// The media types that the request body can have.
        let bodyTypes: [String]
        let fields: [Value]
        let answers: [Answer]
        /// A shell command.
        let example: String

        package init(
            id: String,
            method: String,
            path: String,
            summary: String,
            description: String,
            access: String,
            parameters: [Value],
            bodyTypes: [String],
            fields: [Value],
            answers: [Answer],
            example: String
        ) {
            self.id = id
            self.method = method
            self.path = path
            self.summary = summary
            self.description = description
            self.access = access
            self.parameters = parameters
            self.bodyTypes = bodyTypes
            self.fields = fields
            self.answers = answers
            self.example = example
        }
    }

    /// A parameter, or a field of a request body.
    package struct Value: Sendable {
        let name: String
        /// Path, query or header; empty for a field.
        let place: String
        /// The type with its bounds.
        let type: String
        let choices: [String]
        let isRequired: Bool
        let description: String

        package init(
            name: String,
            place: String = "",
            type: String,
            choices: [String],
            isRequired: Bool,
            description: String
        ) {
            self.name = name
            self.place = place
            self.type = type
            self.choices = choices
            self.isRequired = isRequired
            self.description = description
        }
    }

    package struct Answer: Sendable {
        let status: Int
        let description: String
        let types: [String]

        package init(status: Int, description: String, types: [String]) {
            self.status = status
            self.description = description
            self.types = types
        }
    }

    package let template = "api-reference"
    package let section = PageSection.none
    let groups: [Group]

    package init(_ groups: [Group]) {
        self.groups = groups
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "groups": groups.map { group in
                [
                    "name": group.name, "title": compose.localizer("api.tag.\(group.name)"),
                    "operations": group.operations.map { content($0, compose.localizer) },
                ] as [String: any TemplateValue]
            }
        ]
    }

    private func content(_ operation: Entry, _ localizer: Localizer) -> [String: any TemplateValue] {
        [
            "id": operation.id, "method": operation.method, "path": operation.path, "summary": operation.summary,
            "about": spans(operation.description), "hasDescription": !operation.description.isEmpty,
            "access": operation.access.isEmpty ? "" : localizer("api.\(operation.access)"),
            "parameters": list(operation.parameters), "fields": list(operation.fields),
            "bodyTypes": operation.bodyTypes.joined(separator: ", "), "example": operation.example,
            "answers": operation.answers.map { answer in
                [
                    "status": answer.status, "about": spans(answer.description),
                    "types": answer.types.joined(separator: ", "),
                ] as [String: any TemplateValue]
            },
        ]
    }

    /// Divides a description into text and code at its backticks.
    private func spans(_ text: String) -> any TemplateValue {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, span in
            [index.isMultiple(of: 2) ? "text" : "code": String(span)] as [String: any TemplateValue]
        }
    }

    /// Returns an empty string if there are no values, so that the template omits the list.
    private func list(_ values: [Value]) -> any TemplateValue {
        guard !values.isEmpty else { return "" }
        return [
            "items": values.map { value in
                [
                    "name": value.name, "place": value.place, "type": value.type, "isRequired": value.isRequired,
                    "choices": value.choices.map { ["value": $0] as [String: any TemplateValue] },
                    "about": spans(value.description),
                ] as [String: any TemplateValue]
            }
        ] as [String: any TemplateValue]
    }
}
