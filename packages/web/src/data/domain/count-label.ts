/** A number with its unit: `1 row`, `6,000 rows`. */
export const countLabel = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
