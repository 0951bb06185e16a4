import { asJsonObject, ModelTier, parseJson } from '@quarterdeck/protocol'
import { useState } from 'react'
import type { AnalysisQuestion } from '../../domain/data-services.ts'
import { readText, saveText } from '../../storage/browser-text.ts'

/** The last question settings of this browser. */
export type QuestionSettings = Omit<AnalysisQuestion, 'question'>

const key = 'quarterdeck.ask'

/** Kept in this browser for the next question. */
export function useQuestionSettings() {
  const [settings, setSettings] = useState<QuestionSettings>(readQuestionSettings)
  function change(changed: Partial<QuestionSettings>): void {
    const next = { ...settings, ...changed }
    setSettings(next)
    saveText(key, JSON.stringify(next))
  }
  return [settings, change] as const
}

function readQuestionSettings(): QuestionSettings {
  const { tier, thinking } = asJsonObject(parseJson(readText(key) ?? ''))
  return { tier: ModelTier.safeParse(tier).data ?? 'high', thinking: thinking === true }
}
