import { emptyTranscript, foldTranscript } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { TurnCost } from '../../../stores/session/turn-costs.ts'
import { logOf } from '../../../stores/testing/logged-event.fixture.ts'
import { executed, invoked, turnEnded } from '../../../stores/testing/sample-events.fixture.ts'
import { transcriptRows } from '../../../stores/transcript/transcript-rows.ts'
import { TurnLine } from './turn-line.tsx'

function shown(cost: TurnCost): string {
  const item = foldTranscript(emptyTranscript, logOf(turnEnded)).items[0]
  if (item?.type !== 'turn') throw new Error('the fold made no turn')
  return renderToStaticMarkup(
    <TurnLine item={item} outcome={{ files: [], lastCommand: null }} cost={cost} folder="/project" />,
  )
}

it('marks a cost with unpriced usage as a lower bound, and shows other costs exactly', () => {
  expect(shown({ costUsd: 0, hasUnpricedUsage: true })).toContain('<span>≥ $0</span>')
  expect(shown({ costUsd: 0.5, hasUnpricedUsage: true })).toContain('<span>≥ $0.50</span>')
  expect(shown({ costUsd: 0, hasUnpricedUsage: false })).toContain('<span>$0</span>')
})

it('collapses the diff of a changed file, because the tool call shows it', () => {
  const edit = { file_path: '/project/a.js', old_string: 'a', new_string: 'b' }
  const log = logOf(invoked('Edit', edit, 't1'), executed('Edit', 't1'), turnEnded)
  const row = transcriptRows(foldTranscript(emptyTranscript, log).items).at(-1)
  if (row?.type !== 'turn') throw new Error('the fold made no turn')
  const cost = { costUsd: 0, hasUnpricedUsage: false }
  const text = renderToStaticMarkup(<TurnLine item={row.item} outcome={row.outcome} cost={cost} folder="/project" />)
  expect(text).toMatch(/<details><summary[^>]*>.*a\.js.*<\/summary>.*class="diff/)
})
