const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * A title as the name of a file: no folders, nothing hidden, taken by every system. `part` says what of it, however long
 * the title is.
 */
export function fileName(title: string, ending: string, part?: string): string {
  const plain = title
    .normalize('NFC')
    // Control, format (bidirectional, zero-width) and unassigned characters, and what separates folders somewhere.
    .replace(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replace(/\s+/g, ' ')
    // Where a question mark stood before a comma.
    .replace(/ (?=[,;])/g, '')
    .trim()
    .replace(/^[. ]+|[. ]+$/g, '')
  const cut = [...plain].slice(0, 80).join('').trim()
  const name = cut === '' ? 'analysis' : reserved.test(cut) ? `${cut}_` : cut
  return `${name}${part === undefined ? '' : `, ${part}`}.${ending}`
}
