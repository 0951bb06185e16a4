import { asJsonObject, ModelTier, parseJson, tierMultiplier } from '@quarterdeck/protocol'
import { readText, saveText } from '../../storage/browser-text.ts'

/** The last question settings of this browser. */
export interface QuestionSettings {
  readonly tier: ModelTier
  readonly thinking: boolean
}

const key = 'quarterdeck.ask'

export function readQuestionSettings(): QuestionSettings {
  const { tier, thinking } = asJsonObject(parseJson(readText(key) ?? ''))
  return { tier: ModelTier.safeParse(tier).data ?? 'high', thinking: thinking === true }
}

export const saveQuestionSettings = (settings: QuestionSettings): void => saveText(key, JSON.stringify(settings))

interface TierLabels {
  readonly name: string
  readonly about: string
}

export const tierLabels: Readonly<Record<ModelTier, TierLabels>> = {
  pro: { name: `Pro ×${tierMultiplier.pro}`, about: 'For questions with many steps, where accuracy matters most' },
  high: { name: `High ×${tierMultiplier.high}`, about: 'For most questions' },
  low: { name: `Low ×${tierMultiplier.low}`, about: 'Quick and cheap, for counts and simple comparisons' },
}
