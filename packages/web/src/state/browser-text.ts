// Short texts that this browser keeps. Where it has no room or keeps nothing, they live as long as the page.
const unkept = new Map<string, string>()

export function readText(key: string): string | null {
  try {
    return unkept.get(key) ?? localStorage.getItem(key)
  } catch {
    return null
  }
}

/** `null` forgets it. */
export function keepText(key: string, text: string | null): void {
  unkept.delete(key)
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    if (text !== null) unkept.set(key, text)
  }
}
