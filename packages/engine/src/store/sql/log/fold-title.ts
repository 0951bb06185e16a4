/** Normalizes a title, or part of one, for comparison: case-insensitive, and valid in a text column. */
export const foldTitle = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('\0', ' ')
    .replaceAll(/\p{Surrogate}/gu, ' ')
