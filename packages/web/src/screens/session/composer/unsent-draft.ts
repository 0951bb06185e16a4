/** What stays in the box once `sent` is accepted: whatever was written while it was on its way. */
export const unsentDraft = (sent: string, now: string): string =>
  now.startsWith(sent) ? now.slice(sent.length).trimStart() : now
