/// The formats of numbers in the styles of a workbook, by the number of a cell's format.
enum CellFormats {
    static func read(_ part: String, _ file: ZipFile) throws(SpreadsheetError) -> [NumberFormat] {
        var (codes, ids, section): ([Int: NumberFormat], [Int], String) = ([:], [], "")
        try file.readElements(of: part) { name, attributes, depth in
            if depth == 2 { section = name }
            guard depth == 3 else { return }
            let id = attributes["numFmtId"].flatMap { Int($0) }
            if section == "numFmts", name == "numFmt", let id, let code = attributes["formatCode"] {
                codes[id] = NumberFormat(code: code)
            } else if section == "cellXfs", name == "xf" {
                ids.append(id ?? 0)
            }
            guard max(codes.count, ids.count) <= SpreadsheetLimits.maxFormats else {
                throw SpreadsheetError.damaged(part, "expected at most \(SpreadsheetLimits.maxFormats) formats")
            }
        }
        return ids.map { codes[$0] ?? NumberFormat(builtIn: $0) }
    }
}
