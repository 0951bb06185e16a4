import { type ModelTier, tierMultiplier } from '@quarterdeck/protocol'
import { Checkbox } from '../controls/checkbox.tsx'
import { ChoiceMenu, type MenuChoice } from '../controls/choice-menu.tsx'
import type { QuestionSettings } from './use-question-settings.ts'

interface ModelMenuProps {
  readonly settings: QuestionSettings
  readonly onChange: (change: Partial<QuestionSettings>) => void
}

export function ModelMenu({ settings, onChange }: ModelMenuProps) {
  return (
    <ChoiceMenu
      label="Model"
      chosen={settings.tier}
      options={tiers}
      onChoose={(tier) => onChange({ tier })}
      foot={
        <Checkbox className="row menu-foot" checked={settings.thinking} onChange={(thinking) => onChange({ thinking })}>
          Think before answering
        </Checkbox>
      }
    />
  )
}

const tiers: readonly MenuChoice<ModelTier>[] = [
  {
    value: 'pro',
    name: `Pro ×${tierMultiplier.pro}`,
    about: 'For questions with many steps, where accuracy matters most',
  },
  { value: 'high', name: `High ×${tierMultiplier.high}`, about: 'For most questions' },
  { value: 'low', name: `Low ×${tierMultiplier.low}`, about: 'Quick and cheap, for counts and simple comparisons' },
]
