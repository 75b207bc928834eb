package import Domain
import Storage

extension JSONWriter {
    /// Writes an account, with the fields that the account itself and admins may see.
    ///
    /// - Parameters:
    ///   - country: that of telephone numbers without a country code.
    ///   - base: the prefix for the path of a picture that this service stores.
    package mutating func account(_ account: Account, in country: String?, base: String) {
        object { json in
            json.field("id", account.id.lowercased)
            json.field("role", account.role.rawValue)
            json.field("email", account.email ?? account.linkEmail)
            json.field("email_confirmed", account.confirmedEmail != nil)
            json.field("first_name", account.profile.firstName)
            json.field("last_name", account.profile.lastName)
            json.field("phone", account.profile.phone)
            json.field("phone_e164", TelephoneNumber.e164(of: account.profile.phone, in: country))
            json.field("picture", account.profile.picture.map { $0.hasPrefix("/") ? base + $0 : $0 })
            json.field("disabled", account.disabled)
            json.field("second_factor", account.hasSecondFactor)
            json.field("created_at", account.createdAt.text)
        }
    }
}
