// Whether a text from the clipboard is a table, and the file name that says how it is read.

/** The name of a file for it, or `null` where it is words. */
export function pastedName(text: string): string | null {
  const trimmed = text.trim()
  if (isJson(trimmed)) return 'pasted.json'
  const lines = trimmed.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
  if (lines.length < 2) return null
  if (lines.slice(0, looked).every(isJsonObject)) return 'pasted.ndjson'
  const delimiter = ['\t', ';', ',', '|'].find((one) => isSplitBy(lines.slice(0, looked), one))
  if (delimiter === undefined) return null
  return delimiter === '\t' ? 'pasted.tsv' : 'pasted.csv'
}

/** The same of a text of which a person says that it is a table, even where it does not look like one. */
export const defaultPasteName = (text: string): string => pastedName(text) ?? 'pasted.csv'

const looked = 20

/** The same number of fields in nearly every line: prose has commas too, but never so evenly. */
function isSplitBy(lines: readonly string[], delimiter: string): boolean {
  const counts = lines.map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(delimiter).length)
  const [head] = counts
  if (head === undefined || head < 2) return false
  return counts.filter((count) => count === head).length >= Math.max(2, lines.length * 0.9)
}

function isJson(text: string): boolean {
  if (!/^\[\s*[{[]/.test(text)) return false
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false // something else that begins like it
  }
}

function isJsonObject(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false // something else that begins like it
  }
}
