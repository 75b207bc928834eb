extension String {
    /// The first words of the text, folded. What is longer than a listing's fields may be is not read.
    package func foldedWords(maxLength: Int = 200, maxCount: Int = 24) -> [String] {
        beginning(maxLength).folded.split(separator: " ", maxSplits: maxCount).prefix(maxCount).map(String.init)
    }

    /// The first Unicode scalars: a single character may have any number of marks.
    package func beginning(_ count: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
