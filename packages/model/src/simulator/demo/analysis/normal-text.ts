/**
 * Questions and names as they are compared: case, underscores and the mark at the end do not count. Everything else stays,
 * so that a condition such as `> 5` is never lost.
 */
export const normalText = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .replace(/[\s?.!]+$/, '')
    .trim()
