/// The default and the maximum number of items in one page of results.
package struct PageSize: Sendable {
    package let defaultLimit: Int
    package let maxLimit: Int

    package init(defaultLimit: Int, maxLimit: Int) {
        self.defaultLimit = defaultLimit
        self.maxLimit = maxLimit
    }
}
