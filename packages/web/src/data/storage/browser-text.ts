// Short texts in localStorage. Without space or storage they are kept in memory.
const unsaved = new Map<string, string>()

export function readText(key: string): string | null {
  try {
    return unsaved.get(key) ?? localStorage.getItem(key)
  } catch {
    return null
  }
}

/** `null` removes it. */
export function saveText(key: string, text: string | null): void {
  unsaved.delete(key)
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    if (text !== null) unsaved.set(key, text)
  }
}
