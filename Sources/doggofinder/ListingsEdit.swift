import ArgumentParser
import Domain
import Imports
import Storage

extension ListingsCommand {
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change fields of a listing.",
            discussion: """
                Fields are called like those of the HTTP interface: `listings edit 3f8e... status=reunited name=`. No \
                value clears a field. Values are understood like those of an import. A new point or town moves the \
                listing. The audit log names the fields, not their values.
                """
        )

        @OptionGroup var target: ListingTarget
        @OptionGroup var output: OutputOptions
        @OptionGroup var languages: LanguageOptions
        @Argument(help: ArgumentHelp("FIELD=VALUE, or FIELD= to clear it.", valueName: "change")) var changes: [String]

        func run() async throws {
            let fields = try Dictionary(changes.map(Self.field)) { $1 }
            let (store, listing) = try await target.find()
            let editor = ListingEditor(
                breeds: try target.dataOptions.breeds(),
                finder: SitePlaces(
                    try target.dataOptions.gazetteer(),
                    addresses: target.dataOptions.addresses,
                    region: try SiteOptions.area()
                ),
                language: languages.language
            )
            let (content, location) = try editor.edit(listing, fields)
            let edit = ListingStore.Edit(by: .commandLine, fields: fields.keys.sorted())
            let json = output.json
            try await store.update(listing, content: content, location: location, version: nil, edit: edit) { row in
                if json { try printJSON { try $0.feature(row, base: "", full: true) } }
            }
            if !json { print("changed") }
        }

        private static func field(_ change: String) throws -> (String, JSONValue) {
            let parts = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, ListingField(name: parts[0]) != nil || parts[0] == PointConfirmation.fieldName
            else {
                throw ServiceError(.invalid, "expected FIELD=VALUE with a field of a listing, got '\(change)'")
            }
            return (parts[0], parts[1].isEmpty ? .null : try ListingTerms.value(parts[0], parts[1]))
        }
    }
}
