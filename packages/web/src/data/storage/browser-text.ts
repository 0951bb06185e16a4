// Short texts that this browser keeps. Where it has no room or keeps nothing, they live as long as the page.
const unsaved = new Map<string, string>()

export function readText(key: string): string | null {
  try {
    return unsaved.get(key) ?? localStorage.getItem(key)
  } catch {
    return null
  }
}

/** `null` forgets it. */
export function saveText(key: string, text: string | null): void {
  unsaved.delete(key)
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    if (text !== null) unsaved.set(key, text)
  }
}
