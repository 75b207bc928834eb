/// How far a task of several parts is.
package struct TaskProgress: Sendable {
    /// The part that begins.
    package let name: String
    /// The number of parts that are finished.
    package let finished: Int
    package let total: Int
}
