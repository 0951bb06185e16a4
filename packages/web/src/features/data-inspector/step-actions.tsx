import { Ellipsis, Play } from 'lucide-react'
import { useState } from 'react'
import { hasRows, type Step } from '../../analysis/analysis.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { TableNameForm } from '../../ui/table-name-form.tsx'
import type { StepActs } from './step-inspector.tsx'

interface StepActionsProps {
  readonly step: Step
  readonly draft: string
  readonly isBusy: boolean
  readonly hasReaders: boolean
  readonly takenNames: readonly string[]
  readonly onRun: () => void
  /** `null` where there is nothing to discard or to restore. */
  readonly onDiscard: (() => void) | null
  readonly onRestore: (() => void) | null
  readonly acts: StepActs
}

export function StepActions(props: StepActionsProps) {
  const { step, draft, isBusy, hasReaders, onRun, onDiscard, onRestore, acts } = props
  const [isNaming, setNaming] = useState(false)
  return (
    <div className="sec step-actions">
      <div className="row">
        <Button look={['s']} disabled={isBusy || draft.trim() === ''} title="Ctrl or Cmd and Enter" onClick={onRun}>
          <Play className="icon s" aria-hidden="true" />
          {isBusy ? 'Running' : 'Run'}
        </Button>
        {isBusy && acts.onStop !== null ? (
          <Button look={['s', 'danger']} onClick={acts.onStop}>
            Stop
          </Button>
        ) : (
          <Button look={['s']} disabled={isBusy} title={fromHereWords(hasReaders)} onClick={acts.onRunFrom}>
            Run from here
          </Button>
        )}
        <span className="grow" />
        <Button look={['s', 'quiet']} disabled={!hasRows(step) || isBusy} onClick={() => setNaming(!isNaming)}>
          Use as table
        </Button>
        <Menu label="More for this step" icon={<Ellipsis className="icon" aria-hidden="true" />}>
          {(choose) => (
            <>
              <button type="button" onClick={choose(acts.onAskAbout)}>
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
                  <small>The code as it ran last</small>
                </button>
              )}
              {acts.onExport !== null && (
                <button type="button" onClick={choose(acts.onExport)}>
                  Export CSV
                  <small>The rows that are here, as a file</small>
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
            acts.onUseAsTable(name)
          }}
          onBack={() => setNaming(false)}
        />
      )}
    </div>
  )
}

const fromHereWords = (hasReaders: boolean): string =>
  hasReaders ? 'This step and every later one that reads it' : 'No later step reads this one'
