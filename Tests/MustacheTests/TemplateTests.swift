import Mustache
import Testing

@Suite("Mustache templates")
struct TemplateTests {
    private static let values: [String: any TemplateValue] = [
        "name": "Argo", "empty": "", "yes": true, "no": false, "count": 3,
        "dog": ["name": "Luna", "owner": ["city": "Salerno"] as [String: any TemplateValue]]
            as [String: any TemplateValue],
        "words": ["a", "b"], "none": [String](),
        "dogs": [["name": "Rex"], ["breed": "Beagle"]] as [[String: any TemplateValue]],
    ]

    private func render(_ template: String, _ others: [String: String] = [:]) throws -> String {
        try TemplateLibrary(others.merging(["page": template]) { $1 }).text(Self.values)
    }

    @Test(
        "Variables and sections",
        arguments: [
            ("{{name}} {{count}} {{dog.owner.city}}", "Argo 3 Salerno"),
            ("[{{unknown}}{{empty}}{{dog.unknown}}{{name.city}}]", "[]"),
            ("{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#unknown}}3{{/unknown}}{{#empty}}4{{/empty}}{{#none}}5{{/none}}", "1"),
            (
                "{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^unknown}}3{{/unknown}}{{^empty}}4{{/empty}}{{^none}}5{{/none}}",
                "2345"
            ),
            ("{{#name}}{{name}}{{/name}}", "Argo"),
            ("{{#dog}}{{name}}, {{owner.city}}, {{count}}{{/dog}}", "Luna, Salerno, 3"),
            ("{{#words}}<{{.}}>{{/words}}", "<a><b>"),
            // A dog without a name gets that of the surrounding values.
            ("{{#dogs}}{{name}} {{breed}};{{/dogs}}", "Rex ;Argo Beagle;"),
        ]
    )
    func values(template: String, text: String) throws {
        #expect(try render(template) == text)
    }

    @Test("Only three braces show markup as it is")
    func escaping() throws {
        let library = try TemplateLibrary(["page": "{{text}}|{{{text}}}"])
        let text = "<a href=\"x\">'è' & co</a>"
        let escaped = "&lt;a href=&quot;x&quot;&gt;&#39;è&#39; &amp; co&lt;/a&gt;"
        #expect(library.text(["text": text]) == escaped + "|" + text)
        // A combining mark after the sign does not protect it.
        #expect(library.text(["text": "<\u{301}"]) == "&lt;\u{301}|<\u{301}")
    }

    @Test("Values are not templates")
    func hostileValue() throws {
        let library = try TemplateLibrary(["page": "{{text}}{{{text}}}"])
        #expect(library.text(["text": "{{name}}", "name": "x"]) == "{{name}}{{name}}")
    }

    @Test(
        "A tag alone on its line leaves no line break",
        arguments: [
            ("{{#yes}}\na\n{{/yes}}\nb\n", "a\nb\n"), ("{{#yes}}a\n{{/yes}}\nb", "a\nb"),
            ("x\n{{^yes}}\na\n{{/yes}}\nb", "x\nb"), ("{{#words}}\n{{.}}\n{{/words}}\n", "a\nb\n"),
            ("{{name}}\n{{count}}\n", "Argo\n3\n"), ("{{#yes}}{{/yes}}\nb", "\nb"), ("{{#no}}\n{{/no}}", ""),
        ]
    )
    func lines(template: String, text: String) throws {
        #expect(try render(template) == text)
    }

    @Test("Partials see the values around them")
    func partials() throws {
        let parts = ["dog": "{{name}}\n", "icons/paw": "*"]
        #expect(try render("{{#dogs}}{{>dog}}{{/dogs}}{{>icons/paw}}", parts) == "Rex\nArgo\n*")
        #expect(try render("a\n{{>dog}}\nb", parts) == "a\nArgo\nb")
    }

    @Test("Blocks of a page replace those of the layout, and those of an inner layout")
    func inheritance() throws {
        let parts = [
            "layout": "<{{$head}}none{{/head}}>{{$main}}{{name}}{{/main}}",
            "middle": "{{<layout}}\n{{$head}}middle{{/head}}\n{{$main}}inner{{/main}}\n{{/layout}}",
        ]
        #expect(try render("{{>layout}}", parts) == "<none>Argo")
        #expect(try render("{{<layout}}\n{{$head}}{{count}}{{/head}}\n{{/layout}}\n", parts) == "<3>Argo")
        #expect(try render("{{<middle}}{{$main}}{{#dog}}{{name}}{{/dog}}{{/main}}{{/middle}}", parts) == "<middle>Luna")
    }

    @Test(
        "Mistakes in templates are found when they are read",
        arguments: [
            ("{{#yes}}a", "page: {{/yes}} is missing"), ("{{#yes}}{{/no}}", "page: {{/no}} ends yes"),
            ("{{/no}}", "page: {{/no}} ends nothing"), ("{{name", "page: }} is missing after name"),
            ("{{", "page: }} is missing"), ("{{{name}}", "page: }}} is missing after name"),
            ("{{a b}}", "page: 'a b' is not a name"), ("{{}}", "page: '' is not a name"),
            ("{{#yes}}{{>nothing}}{{/yes}}", "page: there is no template 'nothing'"),
        ]
    )
    func mistakes(template: String, reason: String) {
        let error = #expect(throws: TemplateError.self) { try TemplateLibrary(["page": template]) }
        #expect(error?.description == reason)
    }
}

extension TemplateLibrary {
    fileprivate func text(_ values: [String: any TemplateValue]) -> String {
        String(decoding: render("page", values), as: UTF8.self)
    }
}
