// What a model or a tool says may hold characters that hide text or turn its order round. A person who approves a
// command must see the command that runs.

const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
  /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g

/** Control, bidirectional and zero-width characters become their numbers; line ends and tabs stay. A lone return would rewrite the line. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
