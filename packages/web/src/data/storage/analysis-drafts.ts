// Typed questions and SQL that were not sent yet, stored until they are sent or the analysis is removed.
import { readText, saveText } from './browser-text.ts'

export type DraftOf = 'question' | 'sql'

/** For a question without an analysis. */
export const noAnalysis = 'new'

export const readDraft = (analysisId: string, what: DraftOf = 'question'): string =>
  readText(keyOf(analysisId, what)) ?? ''

export const saveDraft = (analysisId: string, text: string, what: DraftOf = 'question'): void =>
  saveText(keyOf(analysisId, what), text === '' ? null : text)

export function forgetDrafts(analysisId: string): void {
  for (const what of ['question', 'sql'] as const) saveDraft(analysisId, '', what)
}

const keyOf = (analysisId: string, what: DraftOf): string => `quarterdeck.${what}.${analysisId}`
