// Whether clipboard text is a table, and a file name that selects its format.
import { isRecord, parseJson } from '@quarterdeck/protocol'

/** A file name for it, or `null` if it is prose. */
export function pastedName(text: string): string | null {
  const trimmed = text.trim()
  if (isJson(trimmed)) return 'pasted.json'
  const lines = trimmed.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
  if (lines.length < 2) return null
  if (lines.slice(0, maxCheckedLines).every(isJsonObject)) return 'pasted.ndjson'
  const delimiter = ['\t', ';', ',', '|'].find((one) => isSplitBy(lines.slice(0, maxCheckedLines), one))
  if (delimiter === undefined) return null
  return delimiter === '\t' ? 'pasted.tsv' : 'pasted.csv'
}

/** The same for text that the user declares to be a table. */
export const defaultPasteName = (text: string): string => pastedName(text) ?? 'pasted.csv'

const maxCheckedLines = 20

/** Nearly every line has the same number of fields: prose has commas as well, but not that evenly. */
function isSplitBy(lines: readonly string[], delimiter: string): boolean {
  const counts = lines.map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(delimiter).length)
  const [head] = counts
  if (head === undefined || head < 2) return false
  return counts.filter((count) => count === head).length >= Math.max(2, lines.length * 0.9)
}

function isJson(text: string): boolean {
  if (!/^\[\s*[{[]/.test(text)) return false
  return Array.isArray(parseJson(text))
}

const isJsonObject = (line: string): boolean => isRecord(parseJson(line))
