const naming =
  /\b(?:clauses?|sections?|articles?|paragraphs?|annex|appendix|§)\s*(\d+(?:\.\d+)*(?:\([a-z0-9]+\))*|[A-Z]\b)((?:\s*(?:,|and|or|to)\s*\d+(?:\.\d+)*)*)/gi

/** What a text says to look up elsewhere: `4.2` of "see clause 4.2", both of "sections 3 and 5.1". Its own number is none. */
export function extractReferences(text: string, own: string | null): string[] {
  const found = [...text.matchAll(naming)].flatMap(([, first, more]) => [
    first ?? '',
    ...[...(more ?? '').matchAll(/\d+(?:\.\d+)*/g)].map(([number]) => number),
  ])
  return [...new Set(found)].filter((number) => number !== '' && number !== own)
}
