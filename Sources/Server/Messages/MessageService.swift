import Domain
import Foundation
import HTTP
import Hummingbird
import Photos
import Storage

/// Sends messages, for the API and the web pages alike.
struct MessageService: Sendable {
    let conversations: ConversationStore
    let limits: MessageLimits
    let finder: any PlaceFinder
    let delivery: Delivery

    /// Throws if the sender cannot be at the point.
    func expectPlausible(_ content: MessageContent, isPointConfirmed: Bool, in language: Language) throws {
        guard let point = content.point else { return }
        try finder.expectPlausible(point, isConfirmed: isPointConfirmed, language: language)
    }

    /// Thanks the authors of the confirmed sightings of a listing, each once, however often it is called.
    ///
    /// - Returns: the number of people.
    func thank(_ text: String, forSightingsOf listing: Listing, by owner: Account) async throws -> Int {
        let sightings = try conversations.findConfirmedAuthors(at: listing, by: owner)
        for sighting in sightings {
            let address = MessageAddress.author(ofSighting: sighting, ofListing: listing.id)
            let content = MessageContent(text: text)
            _ = try await delivery.deliver(nil) { _, push in
                try await conversations.write(
                    content, id: Self.thanksID(of: sighting), to: address, by: owner, push: push)
            }
        }
        return sightings.count
    }

    /// The id of the message of thanks for a sighting: that of the sighting as a UUID of version 8 (RFC 9562), which no other
    /// message has.
    private static func thanksID(of sighting: UUID) -> UUID {
        var bytes = sighting.uuid
        bytes.6 = bytes.6 & 0x0F | 0x80
        return UUID(uuid: bytes)
    }

    /// Sends a message, whose point has been checked.
    ///
    /// - Parameters:
    ///   - id: the ID of the message. A message with an ID that exists already is not written again.
    ///   - language: that of the name of the town.
    func send(
        _ content: MessageContent,
        photo: ProcessedPhoto? = nil,
        in language: Language = .english,
        id: UUID,
        to address: MessageAddress,
        by sender: Account,
        from client: NetworkAddress
    ) async throws -> SentMessage {
        // Refused and repeated messages do not count towards the limits.
        let preview = try conversations.preview(content, hasPhoto: photo != nil, id: id, to: address, by: sender)
        if preview != .repeats {
            try await limits.take(
                content.text,
                photoBytes: photo?.byteCount ?? 0,
                begins: preview == .begins,
                by: sender,
                from: client
            )
        }
        let place = try content.point.flatMap { try finder.place(at: $0, language: language) }?.fullName
        return try await delivery.deliver(photo) { photo, push in
            let supplement = MessageSupplement(place: place, photo: photo)
            return try await conversations.write(content, supplement, id: id, to: address, by: sender, push: push)
        }
    }
}
