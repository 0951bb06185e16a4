/** With thousands separators: `12,500`. */
export const formatCount = (count: number | bigint): string => count.toLocaleString('en-US')
