// A question that was typed and not asked: kept in this browser, by the analysis it is for.

/** For a question that has no analysis yet. */
export const noAnalysis = 'new'

export function readDraft(analysisId: string): string {
  return localStorage.getItem(keyOf(analysisId)) ?? ''
}

export function keepDraft(analysisId: string, question: string): void {
  if (question === '') localStorage.removeItem(keyOf(analysisId))
  else localStorage.setItem(keyOf(analysisId), question)
}

const keyOf = (analysisId: string): string => `quarterdeck.question.${analysisId}`
