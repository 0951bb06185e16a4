// A server that echoes what it was sent may have encoded it first: the token is taken out in every usual spelling.

/** Has to see a text before it is cut: of half a secret nobody can tell what it is. */
export function createRedactor(secret: string): (text: string) => string {
  const pattern = new RegExp(secretsIn(secret).flatMap(spellings).join('|'), 'gi')
  return (text) => text.replace(pattern, '[redacted]')
}

/** `nbt_<key>.<secret>` may be told in its parts. */
function secretsIn(token: string): readonly string[] {
  const behindKey = /^nbt_[^.]+\.(.{8,})$/.exec(token)?.[1]
  return behindKey === undefined ? [token] : [token, behindKey]
}

function spellings(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex')
  const encoded = [0, 1, 2].map((bytesBefore) => insideBase64(secret, bytesBefore))
  return [secret, hex, ...encoded].map((text) => Array.from(text, anyWayToWrite).join(''))
}

/** What does not depend on what stands around the secret, as `Token ` does: less than a letter at each end is left. */
function insideBase64(secret: string, bytesBefore: number): string {
  const bytes = Buffer.from(`${' '.repeat(bytesBefore)}${secret}`)
  const from = Math.ceil((bytesBefore * 8) / 6)
  const to = Math.floor((bytes.length * 8) / 6)
  return bytes.toString('base64').slice(from, to)
}

const otherLetters: Readonly<Record<string, readonly string[]>> = {
  // As JSON has them, and base64 in addresses.
  '"': ['\\\\"'],
  '\\': ['\\\\\\\\'],
  '/': ['\\\\/', '_'],
  '+': ['-'],
}

/** Itself, percent-encoded or escaped as in JSON. */
function anyWayToWrite(letter: string): string {
  const code = letter.charCodeAt(0).toString(16).padStart(2, '0')
  return `(?:${[...(otherLetters[letter] ?? []), `\\x${code}`, `%(?:25)*${code}`, `\\\\u00${code}`].join('|')})`
}
