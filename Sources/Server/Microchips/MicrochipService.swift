import Domain
import Foundation
import HTTP
import Storage

/// Answers whether a microchip is listed, and delivers messages to the owner, for the API and the page alike.
struct MicrochipService: Sendable {
    let microchips: MicrochipStore
    let messages: MessageService
    let limits: MicrochipLimits

    /// - Parameter account: nil for callers without an account, who are limited by address.
    func isListed(_ microchip: Microchip, for account: Account?, from client: NetworkAddress) async throws -> Bool {
        try await limits.takeLookup(by: account, from: client)
        return try microchips.isListed(microchip)
    }

    /// Sends a message to the owner without naming the listing. Throws `notFound` if there is none. A message counts as
    /// a lookup, because its answer tells as much.
    ///
    /// - Parameters:
    ///   - viewer: nil for a visitor without an account.
    ///   - account: the viewer's account, or a new one, which is created only if there is somebody to write to.
    /// - Returns: the sender.
    @discardableResult
    func send(
        _ content: MessageContent,
        toOwnerOf microchip: Microchip,
        by viewer: Account?,
        from client: NetworkAddress,
        account: () async throws -> Account
    ) async throws -> Account {
        try await limits.takeLookup(by: viewer, from: client)
        if viewer == nil, try !microchips.isListed(microchip) { throw ServiceError.unknownMicrochip }
        let sender = try await account()
        let address = MessageAddress.ownerOfAnimal(with: microchip)
        _ = try await messages.send(content, id: UUID(), to: address, by: sender, from: client)
        return sender
    }
}
