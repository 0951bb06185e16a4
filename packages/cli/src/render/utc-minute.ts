/** An ISO time in UTC, to the minute: `2027-01-01 12:00Z`. */
export const utcMinute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')}Z`
