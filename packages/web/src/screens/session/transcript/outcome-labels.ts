import type { SessionStatus, TurnOutcome } from '@quarterdeck/protocol'

/** The state and label of each turn outcome. */
export const outcomeLabels: Readonly<Record<TurnOutcome, { readonly state: SessionStatus; readonly label: string }>> = {
  completed: { state: 'completed', label: 'Turn done' },
  failed: { state: 'failed', label: 'Turn failed' },
  interrupted: { state: 'interrupted', label: 'Interrupted' },
  turn_limit: { state: 'stopped_turns', label: 'Out of turns' },
  budget_limit: { state: 'stopped_budget', label: 'Out of budget' },
  timeout: { state: 'stopped_turns', label: 'Out of time' },
  crashed: { state: 'failed', label: 'The agent process stopped' },
}
