import Domain
import Foundation
import MessageWarnings
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
            ("mandami so\u{200B}ldi", .payment), ("boni\u{AD}fico", .payment), ("e\u{2060}vil.com", .link),
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

    @Test(
        "Frauds are recognised by what they ask for, also in messages by which no words were chosen",
        arguments: ["seen", "unseen"]
    )
    func messages(part: Substring) {
        let rows = Bundle.module.table("messages").rows.filter { $0[1] == part }
        let frauds = rows.filter { $0[0] != "none" }
        let others = rows.filter { $0[0] == "none" }
        let missed = frauds.filter { MessageWarning(in: String($0[2]), host: "x") == nil }
        let wrong = others.filter { MessageWarning(in: String($0[2]), host: "x") != nil }
        #expect(frauds.count >= 35 && others.count >= 40)
        #expect(missed.count * 100 <= frauds.count * 15, "\(missed)")
        #expect(wrong.count * 100 <= others.count * 4, "\(wrong)")
    }

    @Test(
        "Denials, advice and offers are no requests",
        arguments: [
            ("I don't want any money", nil), ("I want money", .payment), ("Attenzione a chi chiede soldi", nil),
            ("Chiedo dei soldi", .payment), ("Non mandarmi 200 euro", nil), ("Mandami 200 euro", .payment),
            ("Te lo porto senza soldi", nil), ("Senza soldi non te lo porto", .payment),
            ("The vet won't help until 400 is paid", .payment), ("I paid 400 at the vet", nil),
            ("I paid 400, pay me back", .payment), ("Ti do 100 euro", nil), ("Dammi 100 euro", .payment),
            ("Never tell anyone the verification code", nil), ("Tell me the verification code", .verificationCode),
            ("Ti mando 20 foto", nil), ("Mi servono 20 minuti", nil), ("Mi servono 20 subito", .payment),
            ("Fraud warning: I need 50 dollars", .payment), ("Il PIN che ti arriva, comunicamelo", .verificationCode),
        ] as [(String, MessageWarning?)]
    )
    func denials(text: String, warning: MessageWarning?) {
        #expect(MessageWarning(in: text, host: "x") == warning)
    }

    @Test("The longest allowed text is examined completely")
    func length() {
        for filling in ["a", "a.", "è", "www", "\u{202E}", "-", "@a", "1.b"] {
            let text = String(String(repeating: filling, count: 4000).prefix(3980)) + " mandami soldi"
            #expect(MessageWarning(in: text, host: "x") == .payment, "\(filling)")
        }
    }
}
