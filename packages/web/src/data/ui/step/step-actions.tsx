import { Ellipsis, Play } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { type AnalysisStep, hasRows } from '../../domain/analysis.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { SmallButton } from '../controls/small-button.tsx'
import { TableNameForm } from '../controls/table-name-form.tsx'

export interface StepActionHandlers {
  readonly onRun: (code: string) => void
  readonly onRunFrom: () => void
  readonly onRestore: () => void
  /** `null` unless a step is rerunning; questions are stopped in the composer. */
  readonly onStop: (() => void) | null
  readonly onUseAsTable: (name: string) => void
  /** `null` while there are no rows. */
  readonly onExport: (() => void) | null
  readonly onAskAbout: () => void
  readonly onClose: () => void
}

interface StepActionsProps {
  readonly step: AnalysisStep
  readonly draft: string
  readonly isBusy: boolean
  readonly hasReaders: boolean
  readonly takenNames: readonly string[]
  readonly onRun: () => void
  /** `null` if there is nothing to discard or restore. */
  readonly onDiscard: (() => void) | null
  readonly onRestore: (() => void) | null
  readonly actions: StepActionHandlers
}

export function StepActions(props: StepActionsProps) {
  const { step, draft, isBusy, hasReaders, onRun, onDiscard, onRestore, actions } = props
  const [isNaming, setNaming] = useState(false)
  return (
    <div className="stack sec step-actions">
      <div className="row">
        <SmallButton disabled={isBusy || draft.trim() === ''} title="Ctrl or Cmd and Enter" onClick={onRun}>
          <Play className="icon s" aria-hidden="true" />
          {isBusy ? 'Running' : 'Run'}
        </SmallButton>
        {isBusy && actions.onStop !== null ? (
          <Button variant={['s', 'danger']} onClick={actions.onStop}>
            Stop
          </Button>
        ) : (
          <SmallButton disabled={isBusy} title={runFromTitle(hasReaders)} onClick={actions.onRunFrom}>
            Run from here
          </SmallButton>
        )}
        <span className="grow" />
        <QuietButton disabled={!hasRows(step) || isBusy} onClick={() => setNaming(!isNaming)}>
          Use as table
        </QuietButton>
        <Menu label="More for this step" icon={<Ellipsis className="icon" aria-hidden="true" />}>
          {(choose) => (
            <>
              <button type="button" onClick={choose(actions.onAskAbout)}>
                Ask about this
                <small>Puts “step {step.n}” into the question</small>
              </button>
              {onRestore !== null && (
                <button type="button" onClick={choose(onRestore)}>
                  Restore original
                  <small>As the model wrote it, run again</small>
                </button>
              )}
              {onDiscard !== null && (
                <button type="button" onClick={choose(onDiscard)}>
                  Discard my change
                  <small>The last code that ran</small>
                </button>
              )}
              {actions.onExport !== null && (
                <button type="button" onClick={choose(actions.onExport)}>
                  Export CSV
                  <small>The loaded rows as a file</small>
                </button>
              )}
            </>
          )}
        </Menu>
      </div>
      {isNaming && (
        <TableNameForm
          suggestion={`step_${step.n}_rows`}
          taken={props.takenNames}
          disabled={isBusy}
          onName={(name) => {
            setNaming(false)
            actions.onUseAsTable(name)
          }}
          onBack={() => setNaming(false)}
        />
      )}
    </div>
  )
}

const runFromTitle = (hasReaders: boolean): string =>
  hasReaders ? 'This step and every later one that reads it' : 'No later step reads this one'
