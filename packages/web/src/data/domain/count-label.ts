/** `1 row`, `6,000 rows`: a number and what it counts, the same everywhere. */
export const countLabel = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
