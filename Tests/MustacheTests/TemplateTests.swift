import Mustache
import Testing

@Suite("Mustache templates")
struct TemplateTests {
    private struct Dog: TemplateView {
        var name = ""
        var breed: String?
        var owner: Owner?
    }

    private struct Owner: TemplateView {
        let city: String
        var age: Int?
    }

    private struct Page: TemplateView {
        let name = "Argo"
        let empty = ""
        let yes = true
        let no = false
        let count = 3
        let numbers = [1, 2]
        let flags = [true]
        let dog: Dog? = Dog(name: "Luna", owner: Owner(city: "Salerno"))
        let absent: Dog? = nil
        let words = ["a", "b"]
        let none: [String] = []
        let dogs = [Dog(name: "Rex"), Dog(breed: "Beagle")]
    }

    private static let frame: [String: TemplateContent] = [
        "page": .fields(["base": .text("/x"), "site": .fields(["name": .text("Site")])])
    ]

    private func render(_ template: String, _ others: [String: String] = [:]) throws -> String {
        let library = try TemplateLibrary(others.merging(["page": template]) { $1 })
        return String(decoding: library.render("page", Page(), frame: Self.frame), as: UTF8.self)
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
            ("{{#words}}<{{.}}>{{/words}}{{#numbers}}{{.}}{{/numbers}}{{#flags}}{{#.}}x{{/.}}{{/flags}}", "<a><b>12x"),
            ("{{#absent}}1{{/absent}}{{^absent}}2{{/absent}}{{absent.name}}", "2"),
            // A section of a view shows its members only.
            ("{{#dog}}{{name}}, {{owner.city}}, {{count}}{{#owner}}{{name}}{{/owner}}{{/dog}}", "Luna, Salerno, "),
            ("{{#dogs}}{{name}} {{breed}};{{/dogs}}", "Rex ; Beagle;"),
            ("{{#dogs}}{{^name}}{{page.base}}{{page.site.name}}{{/name}}{{/dogs}}", "/xSite"),
            ("{{#words}}{{name}}{{page.base}}{{/words}}", "/x/x"),
            // A condition is shown once and enters nothing.
            ("{{?dogs}}{{name}}{{/dogs}}{{?dog}}{{count}}{{/dog}}{{?none}}1{{/none}}{{?absent}}2{{/absent}}", "Argo3"),
        ]
    )
    func values(template: String, text: String) throws {
        #expect(try render(template) == text)
    }

    @Test("Only three braces show markup as it is")
    func escaping() throws {
        let library = try TemplateLibrary(["page": "{{city}}|{{{city}}}"])
        let text = "<a href=\"x\">'è' & co</a>"
        let escaped = "&lt;a href=&quot;x&quot;&gt;&#39;è&#39; &amp; co&lt;/a&gt;"
        #expect(library.text(Owner(city: text)) == escaped + "|" + text)
        // A combining mark after the sign does not protect it.
        #expect(library.text(Owner(city: "<\u{301}")) == "&lt;\u{301}|<\u{301}")
    }

    @Test("Values are not templates")
    func hostileValue() throws {
        let library = try TemplateLibrary(["page": "{{city}}{{{city}}}"])
        #expect(library.text(Owner(city: "{{age}}", age: 3)) == "{{age}}{{age}}")
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
        #expect(try render("{{#dogs}}{{>dog}}{{/dogs}}{{>icons/paw}}", parts) == "Rex\n\n*")
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
            ("{{#yes}}a", "page: {{/yes}} is missing"), ("{{?yes}}a", "page: {{/yes}} is missing"),
            ("{{#yes}}{{/no}}", "page: {{/no}} ends yes"),
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
    fileprivate func text(_ view: some TemplateView) -> String {
        String(decoding: render("page", view), as: UTF8.self)
    }
}
