// Removes the token from texts in all usual encodings, because a server may echo an encoded copy of a request.

/** Must run before a text is truncated: half a secret is not recognized. */
export function createRedactor(secret: string): (text: string) => string {
  const pattern = new RegExp(secretsIn(secret).flatMap(spellings).join('|'), 'gi')
  return (text) => text.replace(pattern, '[redacted]')
}

/** The parts of `nbt_<key>.<secret>` are secrets of their own. */
function secretsIn(token: string): readonly string[] {
  const behindKey = /^nbt_[^.]+\.(.{8,})$/.exec(token)?.[1]
  return behindKey === undefined ? [token] : [token, behindKey]
}

function spellings(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex')
  const encoded = [0, 1, 2].map((bytesBefore) => insideBase64(secret, bytesBefore))
  return [secret, hex, ...encoded].map((text) => Array.from(text, anyWayToWrite).join(''))
}

/**
 * The part of the base64 text that does not depend on the characters before and after the secret, such as `Token `. At
 * most one character is left at each end.
 */
function insideBase64(secret: string, bytesBefore: number): string {
  const bytes = Buffer.from(`${' '.repeat(bytesBefore)}${secret}`)
  const from = Math.ceil((bytesBefore * 8) / 6)
  const to = Math.floor((bytes.length * 8) / 6)
  return bytes.toString('base64').slice(from, to)
}

const otherLetters: Readonly<Record<string, readonly string[]>> = {
  // With the escapes of JSON, and base64 as used in URLs.
  '"': ['\\\\"'],
  '\\': ['\\\\\\\\'],
  '/': ['\\\\/', '_'],
  '+': ['-'],
}

/** Plain, percent-encoded or escaped as in JSON. */
function anyWayToWrite(letter: string): string {
  const code = letter.charCodeAt(0).toString(16).padStart(2, '0')
  return `(?:${[...(otherLetters[letter] ?? []), `\\x${code}`, `%(?:25)*${code}`, `\\\\u00${code}`].join('|')})`
}
