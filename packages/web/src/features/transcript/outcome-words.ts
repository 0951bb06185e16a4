import type { SessionStatus, TurnOutcome } from '@quarterdeck/protocol'

/** How a turn ended, as a mark and in words. */
export const outcomeWords: Readonly<Record<TurnOutcome, { readonly state: SessionStatus; readonly words: string }>> = {
  completed: { state: 'completed', words: 'Turn done' },
  failed: { state: 'failed', words: 'Turn failed' },
  interrupted: { state: 'interrupted', words: 'Interrupted' },
  turn_limit: { state: 'stopped_turns', words: 'Out of turns' },
  budget_limit: { state: 'stopped_budget', words: 'Out of budget' },
  timeout: { state: 'stopped_turns', words: 'Out of time' },
  crashed: { state: 'failed', words: 'The agent process stopped' },
}
