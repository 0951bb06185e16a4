/** An answer that is an object and nothing else is shown as the code it is; its line breaks would be lost in a text. */
export const fenceJson = (text: string): string => (isJsonAlone(text) ? `\`\`\`json\n${text}\n\`\`\`` : text)

function isJsonAlone(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    // A text that only begins like one.
    return false
  }
}
