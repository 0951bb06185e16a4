// What a model, a tool or a file says may hold escape sequences that move the cursor or rewrite the screen. A person
// who approves a command must see the command.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

/** Control characters become visible; newlines and tabs stay. */
export const visibleText = (text: string): string =>
  text.replace(control, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
