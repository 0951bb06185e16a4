// The settings of a session as form input, and the request body for the changed ones.
import type { ChangeSessionBody, PermissionMode, SessionState } from '@quarterdeck/protocol'

export interface SettingsDraft {
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly isThinking: boolean
  readonly thinkingTokens: string
  readonly maxTurns: string
  readonly maxBudgetUsd: string
  readonly maxMinutes: string
  /** Comma-separated. */
  readonly tags: string
}

const usualThinkingTokens = 8000

export const settingsOf = (session: SessionState): SettingsDraft => ({
  model: session.model,
  permissionMode: session.permissionMode,
  isThinking: session.thinking !== null,
  thinkingTokens: String(session.thinking?.budgetTokens ?? usualThinkingTokens),
  maxTurns: String(session.limits.maxTurns),
  maxBudgetUsd: String(session.limits.maxBudgetUsd),
  maxMinutes: String(Number((session.limits.maxDurationMs / 60_000).toFixed(2))),
  tags: session.tags.join(', '),
})

export type SettingsChange =
  | { readonly body: ChangeSessionBody }
  /** Nothing has changed. */
  | { readonly body: null }
  | { readonly problem: string }

/** Compares with the session when the form opened, so that changes made by others meanwhile are kept. */
export function settingsChange(before: SettingsDraft, draft: SettingsDraft): SettingsChange {
  const problem = problemOf(draft)
  if (problem !== null) return { problem }
  const differs = (...keys: readonly (keyof SettingsDraft)[]) => keys.some((key) => before[key] !== draft[key])
  const limits = {
    ...(differs('maxTurns') ? { maxTurns: Number(draft.maxTurns) } : {}),
    ...(differs('maxBudgetUsd') ? { maxBudgetUsd: numberOf(draft.maxBudgetUsd) } : {}),
    ...(differs('maxMinutes') ? { maxDurationMs: Math.round(numberOf(draft.maxMinutes) * 60_000) } : {}),
  }
  const body: ChangeSessionBody = {
    ...(differs('model') ? { model: draft.model } : {}),
    ...(differs('permissionMode') ? { permissionMode: draft.permissionMode } : {}),
    ...(changesThinking(before, draft) ? { thinking: thinkingOf(draft) } : {}),
    ...(differs('tags') ? { tags: tagsOf(draft.tags) } : {}),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
  return { body: Object.keys(body).length === 0 ? null : body }
}

const changesThinking = (before: SettingsDraft, draft: SettingsDraft): boolean =>
  before.isThinking !== draft.isThinking || (draft.isThinking && before.thinkingTokens !== draft.thinkingTokens)

const thinkingOf = ({ isThinking, thinkingTokens }: SettingsDraft) =>
  isThinking ? { budgetTokens: Number(thinkingTokens) } : null

const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

const numberOf = (text: string): number => Number(text.replace(',', '.'))

function problemOf(draft: SettingsDraft): string | null {
  const isWhole = (text: string) => Number.isInteger(Number(text)) && Number(text) > 0
  if (!isWhole(draft.maxTurns)) return 'Turns must be a whole number above 0.'
  if (!(numberOf(draft.maxBudgetUsd) > 0)) return 'Dollars must be a number above 0.'
  if (!(numberOf(draft.maxMinutes) > 0)) return 'Minutes must be a number above 0.'
  if (draft.isThinking && !isWhole(draft.thinkingTokens))
    return 'Maximum thinking tokens must be a whole number above 0.'
  return null
}
