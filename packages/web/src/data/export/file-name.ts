const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * Makes a portable file name of a title, without folders or hidden characters. `part` is kept however long the title
 * is.
 */
export function fileName(title: string, ending: string, part?: string): string {
  const plain = title
    .normalize('NFC')
    // Control, format (bidirectional, zero-width) and unassigned characters, and path separators of any system.
    .replace(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replace(/\s+/g, ' ')
    // Removes the gap that a question mark before a comma leaves.
    .replace(/ (?=[,;])/g, '')
    .trim()
    .replace(/^[. ]+|[. ]+$/g, '')
  const cut = [...plain].slice(0, 80).join('').trim()
  const name = cut === '' ? 'analysis' : reserved.test(cut) ? `${cut}_` : cut
  return `${name}${part === undefined ? '' : `, ${part}`}.${ending}`
}
