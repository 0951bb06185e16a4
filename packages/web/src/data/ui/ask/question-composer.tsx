import { formatUnits, formatUsd } from '@quarterdeck/protocol'
import { type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import type { AnalysisQuestion, QuestionEstimate } from '../../domain/data-services.ts'
import { ModelMenu } from './model-menu.tsx'
import { ScopeChips } from './scope-chips.tsx'
import { StopQuestion } from './stop-question.tsx'
import { useQuestionSettings } from './use-question-settings.ts'

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
        <div className="status-line failure" role="alert">
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

const commandKey = typeof navigator !== 'undefined' && /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl '
