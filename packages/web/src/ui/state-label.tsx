import type { SessionStatus } from '@quarterdeck/protocol'
import { StateGlyph } from './state-glyph.tsx'
import { stateWords } from './state-words.ts'

/** Glyph and word; `words` only where a state says more than its name. */
export function StateLabel({ state, words }: { readonly state: SessionStatus; readonly words?: string }) {
  return (
    <span className="state" data-state={state}>
      <StateGlyph state={state} />
      {words ?? stateWords[state]}
    </span>
  )
}
