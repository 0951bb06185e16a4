const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/** A title as the name of a file: no folders, nothing hidden, taken by every system. */
export function fileName(title: string, ending: string): string {
  const plain = title
    .normalize('NFC')
    // Control, format (bidirectional, zero-width) and unassigned characters, and what separates folders somewhere.
    .replace(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[. ]+|[. ]+$/g, '')
  const cut = [...plain].slice(0, 80).join('').trim()
  return `${cut === '' ? 'analysis' : reserved.test(cut) ? `${cut}_` : cut}.${ending}`
}
