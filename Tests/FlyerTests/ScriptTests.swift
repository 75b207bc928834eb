import CPangoCairo
import Fonts
import Testing

@Suite("Scripts of flyers and pictures")
struct ScriptTests {
    @Test(
        "Each script has letters in the fonts that the package names",
        arguments: [
            "走失的狗，火车站附近，请联系我们", "失蹤的狗", "迷子の犬をさがしています", "잃어버린 개를 찾습니다",
            "Зник собака, район вокзалу", "Пропала собака у вокзала", "كلب مفقود قرب محطة القطار", "سگ گمشده",
            "گم شدہ کتا",
            "כלב אבוד ליד התחנה", "Χάθηκε σκύλος κοντά στον σταθμό", "Câine pierdut lângă gară, ș ț ă",
            "Qen i humbur, ë ç",
            "हेराएको कुकुर", "खोया हुआ कुत्ता", "হারিয়ে যাওয়া কুকুর", "ਗੁੰਮ ਹੋਇਆ ਕੁੱਤਾ", "නැතිවූ බල්ලා", "காணாமல் போன நாய்",
            "สุนัขหาย", "Chó bị lạc gần ga", "የጠፋ ውሻ", "დაკარგული ძაღლი", "Կորած շուն",
        ])
    func letters(text: String) {
        #expect(Self.missing(in: text) == 0)
    }

    @Test("A letter that no font has is found")
    func missing() { #expect(Self.missing(in: "\u{10FFFD}") == 1) }

    /// The number of letters that are drawn as boxes.
    private static func missing(in text: String) -> Int {
        Fonts.use { fonts in
            let context = pango_font_map_create_context(fonts)
            let layout = pango_layout_new(context)
            defer {
                g_object_unref(UnsafeMutableRawPointer(layout))
                g_object_unref(UnsafeMutableRawPointer(context))
            }
            let font = pango_font_description_from_string("\(Fonts.families) 12")
            pango_layout_set_font_description(layout, font)
            pango_font_description_free(font)
            pango_layout_set_text(layout, text, -1)
            return Int(pango_layout_get_unknown_glyphs_count(layout))
        }
    }
}
