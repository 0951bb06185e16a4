import type { SessionState } from './session-state.ts'

/** It has worked as long as it may: another turn would end before it begins. */
export const isOutOfTime = ({ durationMs, limits }: Pick<SessionState, 'durationMs' | 'limits'>): boolean =>
  durationMs >= limits.maxDurationMs
