/**
 * Normalizes questions and names for comparison: lower case, spaces for underscores, no punctuation at the end. Everything
 * else is kept, so that a condition such as `> 5` is never lost.
 */
export const normalText = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .replace(/[\s?.!]+$/, '')
    .trim()
