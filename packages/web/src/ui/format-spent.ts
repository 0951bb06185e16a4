import { formatUsd } from '@quarterdeck/protocol'

interface Spent {
  readonly costUsd: number
  /** True when some of it has no known price: the sum is then the least it can be. */
  readonly hasUnpricedUsage: boolean
}

export const formatSpent = ({ costUsd, hasUnpricedUsage }: Spent): string =>
  `${hasUnpricedUsage ? '≥ ' : ''}${formatUsd(costUsd)}`
