import { asJsonObject, formatUnits, formatUsd, ModelTier, parseJson, tierMultiplier } from '@quarterdeck/protocol'
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import type { AnalysisQuestion, QuestionEstimate } from '../../domain/data-services.ts'
import { readText, saveText } from '../../storage/browser-text.ts'
import { Checkbox } from '../controls/checkbox.tsx'
import { ChoiceMenu, type Option } from '../controls/choice-menu.tsx'
import { ScopeChips } from './scope-chips.tsx'

interface QuestionComposerProps {
  readonly draft: string
  readonly onDraft: (draft: string) => void
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly placeholder: string
  /** All tables, and those in scope. */
  readonly tables: readonly string[]
  readonly scope: readonly string[]
  readonly onScope: (scope: readonly string[]) => void
  readonly estimate: (question: AnalysisQuestion) => QuestionEstimate
  /** True if answers cost nothing. */
  readonly isSimulated: boolean
  /** The running question, if any. */
  readonly runningId: string | null
  readonly isSending: boolean
  readonly onAsk: (question: AnalysisQuestion) => void
  readonly onStop: () => void
  /** Why the last question was refused, as a sentence. */
  readonly problem: string | null
}

export function QuestionComposer(props: QuestionComposerProps) {
  const { draft, onDraft, box, scope, runningId, isSending, problem } = props
  const isRunning = runningId !== null
  const [settings, changeSettings] = useQuestionSettings()
  const [stopping, setStopping] = useState<string | null>(null)
  const id = useId()
  const question = draft.trim()
  // Removed tables stay in the scope, in case they are added again.
  const hasTable = scope.some((name) => props.tables.includes(name))
  const { units, costUsd } = props.estimate({ question: draft, ...settings })
  const canAsk = question !== '' && hasTable && !isRunning && !isSending

  function ask(): void {
    if (canAsk) props.onAsk({ question, ...settings })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && isRunning) setStopping(runningId)
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    ask()
  }

  return (
    <>
      {problem !== null && (
        <div className="status-line minus" role="alert">
          {problem} Your question is kept.
        </div>
      )}
      {isRunning && stopping === runningId && (
        <StopQuestion
          onStop={() => {
            setStopping(null)
            props.onStop()
          }}
          onBack={() => {
            setStopping(null)
            box.current?.focus()
          }}
        />
      )}
      {!hasTable && props.tables.length > 0 && (
        <div className="status-line" role="status">
          Choose a table for this question.
        </div>
      )}
      <div className="composer ask-box">
        <label className="visually-hidden" htmlFor={id}>
          Your question
        </label>
        <textarea
          id={id}
          ref={box}
          rows={1}
          value={draft}
          placeholder={props.placeholder}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="bar">
          <ScopeChips tables={props.tables} scope={scope} onScope={props.onScope} />
          <span className="grow" />
          {/* In units and dollars, before anything is spent. */}
          <span className="caption num estimate">
            about {formatUnits(units)}
            {costUsd !== null && (
              <>
                {' '}
                <span className="unbroken">
                  · {props.isSimulated && 'would cost '}
                  {formatUsd(costUsd)}
                </span>
              </>
            )}
          </span>
          <ModelMenu settings={settings} onChange={changeSettings} />
          {isRunning ? (
            <Button variant={['s', 'danger']} onClick={props.onStop}>
              Stop
            </Button>
          ) : (
            <Button variant={['s', 'primary']} disabled={!canAsk} onClick={ask}>
              Ask <kbd className="wide-only">{commandKey}↵</kbd>
            </Button>
          )}
        </div>
      </div>
    </>
  )
}

/** Kept in this browser for the next question. */
function useQuestionSettings() {
  const [settings, setSettings] = useState<QuestionSettings>(readQuestionSettings)
  function change(changed: Partial<QuestionSettings>): void {
    const next = { ...settings, ...changed }
    setSettings(next)
    saveText(key, JSON.stringify(next))
  }
  return [settings, change] as const
}

interface ModelMenuProps {
  readonly settings: QuestionSettings
  readonly onChange: (change: Partial<QuestionSettings>) => void
}

function ModelMenu({ settings, onChange }: ModelMenuProps) {
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

const commandKey = typeof navigator !== 'undefined' && /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl '

/** Escape has many uses, so it asks before it stops anything. */
function StopQuestion({ onStop, onBack }: { readonly onStop: () => void; readonly onBack: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <div className="status-line" role="alert" onKeyDown={onKeyDown}>
      <span>Stop this question? Its steps are kept.</span>
      <button type="button" className="btn s" ref={button} onClick={onBack}>
        Keep going
      </button>
      <button type="button" className="btn s danger" onClick={onStop}>
        Stop
      </button>
    </div>
  )
}

/** The last question settings of this browser. */
type QuestionSettings = Omit<AnalysisQuestion, 'question'>

const key = 'quarterdeck.ask'

function readQuestionSettings(): QuestionSettings {
  const { tier, thinking } = asJsonObject(parseJson(readText(key) ?? ''))
  return { tier: ModelTier.safeParse(tier).data ?? 'high', thinking: thinking === true }
}

const tiers: readonly Option<ModelTier>[] = [
  {
    value: 'pro',
    name: `Pro ×${tierMultiplier.pro}`,
    about: 'For questions with many steps, where accuracy matters most',
  },
  { value: 'high', name: `High ×${tierMultiplier.high}`, about: 'For most questions' },
  { value: 'low', name: `Low ×${tierMultiplier.low}`, about: 'Quick and cheap, for counts and simple comparisons' },
]
