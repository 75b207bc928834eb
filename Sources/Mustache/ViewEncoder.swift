/// Reads the members of a view. The compiler writes the code that encodes them, so that each is named only once.
final class ViewEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate var fields = [String: TemplateContent](minimumCapacity: 16)
    fileprivate var items: [TemplateContent]?
    fileprivate var value: TemplateContent?

    var content: TemplateContent { items.map(TemplateContent.list) ?? value ?? .fields(fields) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        items = []
        return Items(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Value(encoder: self) }
}

/// The members of a view.
private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ViewEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}
    func encode(_ value: String, forKey key: Key) { encoder.fields[key.stringValue] = .text(value) }
    func encode(_ value: Bool, forKey key: Key) { encoder.fields[key.stringValue] = .flag(value) }
    func encode(_ value: Int, forKey key: Key) { encoder.fields[key.stringValue] = .text(String(value)) }
    func encode(_ value: some Encodable, forKey key: Key) {
        encoder.fields[key.stringValue] = TemplateContent(of: value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// The items of a list.
private struct Items: UnkeyedEncodingContainer {
    let encoder: ViewEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.items?.count ?? 0 }

    func encodeNil() {}
    func encode(_ value: some Encodable) { encoder.items?.append(TemplateContent(of: value)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
}

/// A text, number or flag in a list.
private struct Value: SingleValueEncodingContainer {
    let encoder: ViewEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode(_ value: String) { encoder.value = .text(value) }
    func encode(_ value: Bool) { encoder.value = .flag(value) }
    func encode(_ value: Int) { encoder.value = .text(String(value)) }
    /// Templates show no other values.
    func encode(_ value: some Encodable) {}
}
