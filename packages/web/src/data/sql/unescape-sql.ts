const pieces = /''|\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])|[^\\]/gu
const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The text between the quotes of `e'…'` as DuckDB reads it: by bytes, which together may be one letter. */
export function unescapeSql(text: string): string {
  const encoder = new TextEncoder()
  const bytes = [...text.matchAll(pieces)].flatMap(([piece]) => {
    const octal = /^\\([0-7]+)$/.exec(piece)?.[1]
    if (octal !== undefined) return [Number.parseInt(octal, 8) & 255]
    const [, sign, hex] = /^\\([xuU])([0-9a-fA-F]+)$/.exec(piece) ?? []
    const code = Number.parseInt(hex ?? '0', 16)
    if (sign === 'x') return [code]
    if (sign !== undefined) return [...encoder.encode(code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code))]
    if (!piece.startsWith('\\')) return [...encoder.encode(piece === "''" ? "'" : piece)]
    const letter = piece.slice(1)
    return [...encoder.encode(letters[letter] ?? letter)]
  })
  return new TextDecoder().decode(new Uint8Array(bytes))
}
