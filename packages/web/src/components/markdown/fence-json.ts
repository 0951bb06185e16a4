/** An answer that is only a JSON object or list is shown as code, with one field per line. */
export function fenceJson(text: string): string {
  const formatted = formatJson(text)
  return formatted === null ? text : `\`\`\`json\n${formatted}\n\`\`\``
}

/** `null` if the text is not only JSON. */
function formatJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    // Formatting would change numbers with more digits than a double has.
    return /[\d.]{16}/.test(text) ? text : JSON.stringify(value, null, 2)
  } catch {
    // A text that only begins like one.
    return null
  }
}
