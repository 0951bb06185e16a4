import { escapeHtml } from '../../export/escape-html.ts'

/** An SVG with what it shows in words, for whoever does not see it. */
export const namedPicture = (svg: string, summary: string): string =>
  // By a function: in a plain replacement `$'` and the like of a title would bring in parts of the picture.
  svg.replace('<svg ', () => `<svg role="img" aria-label="${escapeHtml(summary)}" `)
