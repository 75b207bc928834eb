package import Domain
package import Foundation
import SQL

extension ConversationStore {
    /// Returns the conversation of an account, or of an organisation that it is a member of, with the account that has
    /// it. Throws `notFound` if there is none.
    package func getConversation(id: UUID, ofMember account: Account) throws -> (Conversation, Account) {
        do {
            return (try getConversation(id: id, of: account), account)
        } catch let error as ServiceError where error.code == .notFound {
            for key in account.memberships.keys {
                let organisation = try database.readNow { db in try AccountStore.getAccount(key: key, db) }
                if let found = try? getConversation(id: id, of: organisation) { return (found, organisation) }
            }
            throw error
        }
    }
}
