package import HTTPTypes

/// Collects the operations of a closure.
@resultBuilder
package enum OperationBuilder {
    package static func buildExpression(_ operation: Operation) -> Operation { operation }
    package static func buildBlock(_ operations: Operation...) -> [Operation] { operations }
}

extension Operation {
    package static func tagged(_ tag: Tag, @OperationBuilder _ operations: () -> [Operation]) -> [Operation] {
        operations().map { operation in operation.with { $0.tag = tag } }
    }

    package static func get(_ path: String, _ id: String, _ summary: String) -> Operation {
        Operation(.get, path, id, summary)
    }

    package static func post(_ path: String, _ id: String, _ summary: String) -> Operation {
        Operation(.post, path, id, summary)
    }

    package static func put(_ path: String, _ id: String, _ summary: String) -> Operation {
        Operation(.put, path, id, summary)
    }

    package static func patch(_ path: String, _ id: String, _ summary: String) -> Operation {
        Operation(.patch, path, id, summary)
    }

    package static func delete(_ path: String, _ id: String, _ summary: String) -> Operation {
        Operation(.delete, path, id, summary)
    }

    /// Creates an operation for everybody.
    package init(_ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String) {
        self.method = method
        self.path = path
        self.id = id
        self.summary = summary
    }

    package var known: Operation { with { $0.access = .known } }
    package var signedIn: Operation { with { $0.access = .signedIn } }
    package var admin: Operation { with { $0.access = .admin } }

    package func taking(_ parameters: Parameter...) -> Operation { taking(parameters) }
    package func taking(_ parameters: [Parameter]) -> Operation { with { $0.parameters += parameters } }
    package func described(_ text: String) -> Operation { with { $0.description = text } }
    package func sending(_ body: RequestBodyDescription) -> Operation { with { $0.body = body } }

    /// Adds responses. Without any, the response is a 204. The 304 and the headers that follow from the callers and the
    /// parameters are added.
    package func answering(_ answers: ResponseDescription...) -> Operation { with { $0.answers += answers } }

    /// Adds errors to those that follow from the path, the body and the parameters, and that all operations have.
    package func failing(_ errors: ErrorResponse...) -> Operation { with { $0.ownErrors.formUnion(errors) } }

    package func exampleQuery(_ query: String) -> Operation { with { $0.exampleQuery = query } }

    /// The operation, without a 404 although its path has parameters.
    package var alwaysFound: Operation { with { $0.isAlwaysFound = true } }

    /// The operation, with unknown parameters ignored.
    package var lenient: Operation { with { $0.isStrict = false } }

    /// The operation, with empty values of optional parameters treated as missing.
    package var allowingEmpty: Operation {
        with { $0.parameters = $0.parameters.map { $0.isRequired ? $0 : $0.allowingEmpty } }
    }

    private func with(_ change: (inout Operation) -> Void) -> Operation {
        var operation = self
        change(&operation)
        return operation
    }
}
