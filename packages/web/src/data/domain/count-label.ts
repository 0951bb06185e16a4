import { formatCount } from '@quarterdeck/protocol'

/** A number with its unit: `1 row`, `6,000 rows`. */
export const countLabel = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
