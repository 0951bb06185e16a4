/** A title or a part of one as lists compare them: letters of either size are the same, and it fits a text column. */
export const foldTitle = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('\0', ' ')
    .replaceAll(/\p{Surrogate}/gu, ' ')
