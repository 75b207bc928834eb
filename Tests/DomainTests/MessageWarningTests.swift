import Domain
import Testing

@Suite("What readers of messages are warned of")
struct MessageWarningTests {
    @Test(
        "Words that swindlers use are found however they are written, and others are not",
        arguments: [
            ("L'ho visto ieri alla stazione, vicino al bar.", nil),
            ("I saw her. She is fine; a neighbour feeds her.", nil),
            ("Il codice postale è 84084, scrivimi a anna@example.org", nil),
            ("Ha il collare rosso.Se vuoi passo io", nil), ("Prometto ricompensa", nil),
            ("https://dogs.example.org/listings/1 è lui?", nil),
            ("Ti ho mandato un CODICE DI VERIFICA, dimmelo", .verificationCode),
            ("What is the verification-code that you got?", .verificationCode), ("mi serve l'OTP", .verificationCode),
            ("Adesso mandami il  codice!", .verificationCode), ("Paga e mandami il codice", .verificationCode),
            ("Servono soldi per il veterinario", .payment), ("con Postepay", .payment),
            ("please send gift-cards first", .payment), ("solo Bitcoin", .payment),
            ("I pagamenti prima", .payment), ("guarda http://evil.example/foto", .link), ("www.evil.example", .link),
            ("Foto su bit.ly/3xyz", .link), ("scrivi su t.me/argo", .link),
        ] as [(String, MessageWarning?)]
    )
    func words(text: String, warning: MessageWarning?) {
        #expect(MessageWarning(in: text, host: "dogs.example.org") == warning)
    }

    @Test("The longest text is looked at whole, whatever it holds")
    func length() {
        for filling in ["a", "a.", "è", "www", "\u{202E}", "-", "@a", "1.b"] {
            let text = String(String(repeating: filling, count: 4000).prefix(3990)) + " soldi"
            #expect(MessageWarning(in: text, host: "x") == .payment, "\(filling)")
        }
    }
}
