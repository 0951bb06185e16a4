// Without a schema library, so that a browser worker can use it cheaply.

/** For text from outside: `undefined` if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
