import type { SessionStatus } from '@quarterdeck/protocol'
import { StateGlyph } from './state-glyph.tsx'
import { stateLabels } from './state-labels.ts'

/** Glyph and word; `words` only where a state says more than its name. */
export function StateLabel({ state, label }: { readonly state: SessionStatus; readonly label?: string }) {
  return (
    <span className="state" data-state={state}>
      <StateGlyph state={state} />
      {label ?? stateLabels[state]}
    </span>
  )
}
