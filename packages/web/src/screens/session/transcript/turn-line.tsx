import { formatDuration, formatSpent, type SessionStatus, type TurnItem } from '@quarterdeck/protocol'
import { Terminal } from 'lucide-react'
import { ChangeCount } from '../../../components/content/change-count.tsx'
import { DiffView } from '../../../components/content/diff-view.tsx'
import { StateLabel } from '../../../components/status/state-label.tsx'
import type { TurnCost } from '../../../stores/session/turn-costs.ts'
import { shortPath } from '../../../stores/transcript/tool-call.ts'
import type { TurnOutcomeFacts } from '../../../stores/transcript/transcript-rows.ts'
import { outcomeLabels } from './outcome-labels.ts'
import { ToolIcon } from './tool-icon.tsx'

interface TurnLineProps {
  readonly item: TurnItem
  readonly outcome: TurnOutcomeFacts
  readonly cost: TurnCost
  readonly folder: string
}

/** The outcome of a turn, its changed files and its cost. Without changes, it is one line. */
export function TurnLine({ item, outcome, cost, folder }: TurnLineProps) {
  const { state, label } = outcomeLabels[item.ended.outcome]
  const { numTurns } = item.ended.result
  const isPlain = outcome.files.length === 0
  const head = (
    <>
      {isPlain ? <PlainState state={state} label={label} /> : <StateLabel state={state} label={label} />}
      <span className="facts">
        <span>
          {numTurns} {numTurns === 1 ? 'turn' : 'turns'}
        </span>
        <span>{formatSpent(cost)}</span>
        <span>{formatDuration(item.ended.durationMs)}</span>
      </span>
    </>
  )
  if (isPlain) return <div className="tool-head">{head}</div>
  return (
    <section className="outcome" aria-label="What this turn changed">
      <div className="row outcome-head">{head}</div>
      {outcome.files.map((file) => (
        // Collapsed, because the tool call above already shows the diff.
        <details key={file.path}>
          <summary className="row outcome-file">
            <ToolIcon kind={file.kind} />
            <code className="ellipsis">{shortPath(file.path, folder)}</code>
            <ChangeCount added={file.added} removed={file.removed} />
          </summary>
          {file.diffs.map((diff, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: edits keep their order
            <DiffView key={index} lines={diff.lines} />
          ))}
        </details>
      ))}
      {outcome.lastCommand !== null && (
        <div className="row outcome-file">
          <Terminal className="icon" aria-hidden="true" />
          <code className="ellipsis">{String(outcome.lastCommand.toolInput.command ?? '')}</code>
          <span className="num success">exit 0</span>
        </div>
      )}
    </section>
  )
}

/** Without a glyph: the mark of the row already shows it. */
function PlainState({ state, label }: { readonly state: SessionStatus; readonly label: string }) {
  return (
    <span className="state" data-state={state}>
      {label}
    </span>
  )
}
