import type { SessionState } from './session-state.ts'

/** Its own limit stopped it. Not by the sum: a request that does not fit into the rest stops it too. */
export const isOutOfOwnMoney = ({ status, stoppedBy }: Pick<SessionState, 'status' | 'stoppedBy'>): boolean =>
  status === 'stopped_budget' && stoppedBy === null
