/** DuckDB ignores case in names. */
export const nameKey = (name: string): string => name.toLowerCase()

export const isSameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other)
