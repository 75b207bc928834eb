package import Domain
import Localization
import Mustache

/// One import with its report.
package struct ImportView: PageView {
    package static let template = "import"
    let summary: ImportSummaryView
    let isRefreshing, canRepeat, canCorrect: Bool
    let unknown, report: String
    let problem, room, more: String?
    let mistakes: [MistakeView]
    /// Why photos were not fetched.
    let photoFailures: [PhotoFailureView]
    let columns: [ColumnView]
    /// Whether some columns are not understood, or there is something to correct on the page.
    let asksForColumns, hasMistakes: Bool
    let values: [ValueView]
    /// The orders of numbers in dates; empty if the file has no such dates.
    let dates: [OptionView]
    let datesAreUnclear, showsContacts, canShowContacts: Bool

    /// Rows with the same mistake, and what can be read in place of their value.
    struct MistakeView: TemplateView {
        let count, message, rows: String
        let column, value, detail: String?
        let answer: AnswerView?
    }

    struct PhotoFailureView: TemplateView {
        let count, message, host, url: String
    }

    struct AnswerView: TemplateView {
        let number: Int
        let field, value, label: String
        /// The other meanings that the value may have, or all values of the field.
        let options: [OptionView]
        let isText: Bool
        let suggestions: [OptionView]
        let suggested: String?
    }

    struct ColumnView: TemplateView {
        let number: Int
        let name: String
        let values: String?
        let options: [OptionView]
    }

    /// A value of a field that has few, and what it is read as.
    struct ValueView: TemplateView {
        let number: Int
        let field, value, label: String
        let options: [OptionView]
    }
}

extension PageBuilder {
    /// - Parameter report: what became of the rows, and what can be changed.
    package func importReport(_ listingImport: ListingImport, _ report: ImportReport) -> ImportView {
        let rejected = listingImport.counts.rejected - report.mistakes.reduce(0) { $0 + $1.mistake.count }
        let plan = listingImport.order.plan
        let draft = report.draft
        let hasContacts =
            draft?.columns.contains { [.contactPhone, .contactEmail].contains($0.field ?? .name) } ?? false
        return ImportView(
            summary: summary(of: listingImport, report.organisation, report.photos),
            isRefreshing: !listingImport.state.hasEnded || report.photos.waiting > report.photos.retried,
            canRepeat: draft != nil, canCorrect: draft != nil && !listingImport.order.isPhotos,
            unknown: draft == nil ? listingImport.unknownColumns.joined(separator: ", ") : "",
            report: path("/v1/imports/\(listingImport.id.uuidString.lowercased())/rows?format=csv"),
            problem: listingImport.problem.map { localizer("imports.problem.\($0.rawValue)") },
            room: draft == nil || listingImport.order.isPhotos
                ? nil : report.room.map { text(room: $0, of: report.organisation?.content.name) },
            more: rejected > 0 ? localizer("imports.more", count: rejected) : nil,
            mistakes: report.mistakes.enumerated().map { mistake($1, number: $0, isDraft: draft != nil) },
            photoFailures: report.failures.map(photoFailure),
            columns: draft?.columns.enumerated().map(column) ?? [],
            asksForColumns: draft?.columns.contains { $0.fieldName == nil } ?? false,
            hasMistakes: !listingImport.order.isPhotos && (!report.mistakes.isEmpty || plan.dates == .unclear),
            values: draft?.values.enumerated().map { self.value($1, number: $0) } ?? [],
            dates: draft == nil || plan.dates == nil || plan.dates == .dayFirst
                ? []
                : options(
                    ["day_first", "month_first"],
                    "imports.dates",
                    selected: plan.dates == .monthFirst ? "month_first" : "day_first"
                ),
            datesAreUnclear: plan.dates == .unclear,
            showsContacts: plan.showsContacts ?? (report.organisation != nil),
            canShowContacts: hasContacts
        )
    }

    private func photoFailure(_ failure: RemotePhoto.Failure) -> ImportView.PhotoFailureView {
        ImportView.PhotoFailureView(
            count: localizer("imports.photo", count: failure.count),
            message: localizer("imports.outcome.\(failure.problem.rawValue)"),
            host: failure.host, url: failure.url
        )
    }

    private func mistake(_ found: ImportReport.Mistake, number: Int, isDraft: Bool) -> ImportView.MistakeView {
        let mistake = found.mistake
        let message = message(of: mistake)
        let count = mistake.count
        return ImportView.MistakeView(
            count: localizer(mistake.file == nil ? "imports.rows" : "imports.photo", count: count),
            message: message,
            rows: mistake.file
                ?? localizer(count == 1 ? "imports.atRow" : "imports.fromRow", ["n": localizer.number(mistake.first)]),
            column: mistake.column
                ?? mistake.field.flatMap { Self.columnFields.contains($0) ? localizer("imports.field.\($0)") : nil },
            value: mistake.value,
            // The question says what is expected.
            detail: isDraft || message == mistake.message ? nil : mistake.message,
            answer: isDraft ? answer(found, number: number) : nil
        )
    }

    /// The question what a wrong value means; nil if only the file can be corrected.
    private func answer(_ found: ImportReport.Mistake, number: Int) -> ImportView.AnswerView? {
        guard let field = found.mistake.field.flatMap(ListingField.init(name:)), field != .reference,
            Self.columnFields.contains(field.name)
        else { return nil }
        var options: [OptionView] = []
        if case .choice(let choices) = field.kind { options = self.options(choices, field.name, selected: nil) }
        let value = found.mistake.value ?? ""
        let key = value.isEmpty ? "imports.answer.missing" : "imports.answer.value"
        return ImportView.AnswerView(
            number: number, field: field.name, value: value,
            label: localizer(key, ["value": value, "field": localizer("imports.field.\(field.name)")]),
            options: options, isText: options.isEmpty,
            suggestions: found.suggestions.map { OptionView(value: $0, label: $0, selected: false) },
            // One that is likely saves the typing.
            suggested: found.suggestions.count == 1 ? found.suggestions[0] : nil
        )
    }

    /// The fields that a column can be, all but those that say who sees another one.
    private static let columnFields = ListingField.allCases.filter { $0.kind != .flag && $0 != .locationPrecision }
        .map(\.name)

    private func column(_ number: Int, _ column: ImportReport.Column) -> ImportView.ColumnView {
        let fields = Self.columnFields
        let options =
            [OptionView(value: "", label: localizer("imports.leftOut"), selected: column.fieldName == nil)]
            + fields.map {
                OptionView(value: $0, label: localizer("imports.field.\($0)"), selected: $0 == column.fieldName)
            }
            + ([ImportPlan.province, ImportPlan.photos] + AnimalRecord.Key.allCases.map(\.rawValue)).map {
                OptionView(value: $0, label: localizer("imports.field.\($0)"), selected: column.fieldName == $0)
            }
        return ImportView.ColumnView(
            number: number, name: column.title,
            values: column.values.isEmpty ? nil : column.values.joined(separator: " · "), options: options
        )
    }

    private func value(_ value: ImportReport.Value, number: Int) -> ImportView.ValueView {
        var options: [OptionView] = []
        if case .choice(let choices) = value.field.kind {
            // A word that is understood can mean something else, but not nothing.
            if value.meaning == nil {
                options.append(OptionView(value: "", label: localizer("imports.notUnderstood"), selected: true))
            }
            options += self.options(choices, value.field.name, selected: value.meaning)
        }
        return ImportView.ValueView(
            number: number, field: value.field.name, value: value.text,
            label: localizer("imports.field.\(value.field.name)"),
            options: options
        )
    }

    /// Says in the reader's language what is wrong, if the pages have words for the field.
    private func message(of mistake: ImportMistake) -> String {
        let keys = mistake.field.map { ["imports.wrong.\($0)", "problem.\($0)"] } ?? []
        return keys.first(where: localizer.has).map { localizer($0, ["example": TelephoneNumber.anyExample]) }
            ?? mistake.field.flatMap { name in
                Self.columnFields.contains(name)
                    ? localizer("imports.wrongValue", ["field": localizer("imports.field.\(name)")]) : nil
            } ?? mistake.message ?? ""
    }
}
