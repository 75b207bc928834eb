import Domain
import Testing

@Suite("Message warnings")
struct MessageWarningTests {
    @Test(
        "Words that swindlers use are found in any spelling, and harmless text is not marked",
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
            ("https://argo@evil.example/login", .link), ("(https://dogs.example.org@evil.example/login)", .link),
            ("https://dogs.example.org:1&a@evil.example", .link), ("https://dogs.example.org/?to=a@example.org", nil),
            ("evil\u{FF0E}com/foto", .link), ("evil\u{3002}com", .link), ("ｅｖｉｌ．ｄｅ", .link), ("foto.evil.de", .link),
            ("Va bene...me lo dici?", nil), ("Va bene…me lo dici?", nil), ("guarda evil.com...", .link),
            ("so\u{200B}ldi", .payment), ("boni\u{AD}fico", .payment), ("e\u{2060}vil.com", .link),
        ] as [(String, MessageWarning?)]
    )
    func words(text: String, warning: MessageWarning?) {
        #expect(MessageWarning(in: text, host: "dogs.example.org") == warning)
    }

    @Test(
        "Requests for codes or money are marked; mentions of microchips and rewards are not",
        arguments: [
            ("Mi leggi il codice che ti è arrivato?", .verificationCode),
            ("Mi dica il codice che le ho mandato", .verificationCode),
            ("Ti arriva un SMS: mi mandi il codice?", .verificationCode), ("give me the code", .verificationCode),
            ("Read me the code you just got", .verificationCode),
            ("mi servono 200 euro prima", .payment), ("send 200 dollars first", .payment),
            ("mandami 200€ su Revolut", .payment), ("Mi servono €1.000", .payment), ("send me $50", .payment),
            ("Servono 200euro", .payment), ("un voucher va bene", .payment),
            ("Il microchip ha il codice 380260101234567", nil), ("Mi dici il codice postale?", nil),
            ("Mi dica il codice del microchip", nil), ("Send me the microchip code, please", nil),
            ("Ho letto il codice che le medagliette hanno", nil), ("Offro 200 euro di ricompensa", nil),
            ("Reward: 500 dollars", nil), ("Mandami 2 foto prima", nil), ("I saw her 20 minutes before", nil),
        ] as [(String, MessageWarning?)]
    )
    func requests(text: String, warning: MessageWarning?) {
        #expect(MessageWarning(in: text, host: "dogs.example.org") == warning)
    }

    @Test("The longest allowed text is examined completely")
    func length() {
        for filling in ["a", "a.", "è", "www", "\u{202E}", "-", "@a", "1.b"] {
            let text = String(String(repeating: filling, count: 4000).prefix(3990)) + " soldi"
            #expect(MessageWarning(in: text, host: "x") == .payment, "\(filling)")
        }
    }
}
