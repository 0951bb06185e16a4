// What passes through the gateway is read on the way, never judged: what is no JSON goes on as it came.

/** `undefined` for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
