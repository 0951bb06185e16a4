import { ModelTier, tierMultiplier } from '@quarterdeck/protocol'
import { readText, saveText } from '../../storage/browser-text.ts'

/** How questions are asked: the last choice of this browser. */
export interface QuestionSettings {
  readonly tier: ModelTier
  readonly thinking: boolean
}

const key = 'quarterdeck.ask'

export function readQuestionSettings(): QuestionSettings {
  try {
    const kept: unknown = JSON.parse(readText(key) ?? '{}')
    const { tier, thinking } = typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {}
    return { tier: ModelTier.safeParse(tier).data ?? 'high', thinking: thinking === true }
  } catch {
    // Somebody else's text under this name: begin anew.
    return { tier: 'high', thinking: false }
  }
}

export const saveQuestionSettings = (settings: QuestionSettings): void => saveText(key, JSON.stringify(settings))

interface TierLabels {
  readonly name: string
  readonly about: string
}

export const tierLabels: Readonly<Record<ModelTier, TierLabels>> = {
  pro: { name: `Pro ×${tierMultiplier.pro}`, about: 'For questions with many steps, where being right matters most' },
  high: { name: `High ×${tierMultiplier.high}`, about: 'For most questions' },
  low: { name: `Low ×${tierMultiplier.low}`, about: 'Quick and cheap, for counts and simple comparisons' },
}
