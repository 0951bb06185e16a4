import type { SessionStatus } from '@quarterdeck/protocol'
import { StateGlyph } from './state-glyph.tsx'
import { stateLabels } from './state-labels.ts'

/** Glyph and name of a state. `label` replaces the name where more detail is known. */
export function StateLabel({ state, label }: { readonly state: SessionStatus; readonly label?: string }) {
  return (
    <span className="state" data-state={state}>
      <StateGlyph state={state} />
      {label ?? stateLabels[state]}
    </span>
  )
}
