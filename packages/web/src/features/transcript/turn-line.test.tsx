import { emptyTranscript, foldTranscript } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { logOf } from '../../state/logged-event.fixture.ts'
import { turnEnded } from '../../state/sample-events.fixture.ts'
import type { TurnCost } from '../../state/turn-costs.ts'
import { TurnLine } from './turn-line.tsx'

function shown(cost: TurnCost): string {
  const item = foldTranscript(emptyTranscript, logOf(turnEnded)).items[0]
  if (item?.type !== 'turn') throw new Error('the fold made no turn')
  return renderToStaticMarkup(
    <TurnLine item={item} outcome={{ files: [], lastCommand: null }} cost={cost} folder="/project" />,
  )
}

it('shows a sum without a known price as the least it can be, and any other as it is', () => {
  expect(shown({ costUsd: 0, hasUnpricedUsage: true })).toContain('<span>≥ $0</span>')
  expect(shown({ costUsd: 0.5, hasUnpricedUsage: true })).toContain('<span>≥ $0.50</span>')
  expect(shown({ costUsd: 0, hasUnpricedUsage: false })).toContain('<span>$0</span>')
})
