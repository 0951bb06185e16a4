const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Words as HTML has them, between tags or in quotes. */
export const escapeHtml = (words: string): string => words.replace(/[&<>"']/g, (sign) => signs[sign] ?? '')
