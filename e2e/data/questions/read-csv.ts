/** The fields of an exported file by line, without the header. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]]
  const fields = /("(?:[^"]|"")*"|[^,\r\n"]*)(,|\r?\n|$)/gy
  for (const [whole, field = '', end] of text.matchAll(fields)) {
    if (whole === '') break
    lines.at(-1)?.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    if (end !== ',') lines.push([])
  }
  return lines.filter((line) => line.length > 0).slice(1)
}
