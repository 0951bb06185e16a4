/** An answer that is an object or a list and nothing else is shown as code, one field a line. */
export function fenceJson(text: string): string {
  const formatted = formatJson(text)
  return formatted === null ? text : `\`\`\`json\n${formatted}\n\`\`\``
}

/** `null` where the text is not JSON alone. */
function formatJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    // Numbers with more digits than a double keeps would be shown wrong.
    return /[\d.]{16}/.test(text) ? text : JSON.stringify(value, null, 2)
  } catch {
    // A text that only begins like one.
    return null
  }
}
