/// The FNV-1a hash: the same on all machines and in all runs, because hashes are stored.
package func stableHash(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
}
