import { parseJson } from '@quarterdeck/protocol'

/** Shows an answer that is only a JSON object or list as code, with one field per line. */
export function fenceJson(text: string): string {
  const formatted = formatJson(text)
  return formatted === null ? text : `\`\`\`json\n${formatted}\n\`\`\``
}

/** `null` if the text contains anything other than JSON. */
function formatJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  const value = parseJson(text)
  if (value === undefined) return null
  // Formatting would change numbers with more digits than a double has.
  return /[\d.]{16}/.test(text) ? text : JSON.stringify(value, null, 2)
}
