// The shape alone identifies a state. Round: can continue. Square: stopped by a limit. Filled: needs attention or
// failed. Hollow: inactive.
import type { SessionStatus } from '@quarterdeck/protocol'
import type { ReactNode } from 'react'

const ring = <circle cx="8" cy="8" r="5.8" />
const disc = <circle cx="8" cy="8" r="6.6" fill="currentColor" stroke="none" />
const square = <rect x="2.2" y="2.2" width="11.6" height="11.6" rx="2.4" />
const turning = (
  <>
    <circle cx="8" cy="8" r="5.8" opacity=".3" />
    <path className="turn" d="M8 2.2A5.8 5.8 0 0 1 13.8 8" />
  </>
)
const bars = <path d="M6.5 6v4M9.5 6v4" />
const slash = <path d="m4.1 11.9 7.8-7.8" />
const dot = <circle cx="8" cy="8" r="2" fill="currentColor" stroke="none" />

const sign = (d: string, strokeWidth: number) => <path d={d} strokeWidth={strokeWidth} />
const cutOut = (d: string, strokeWidth: number) => <path d={d} strokeWidth={strokeWidth} stroke="var(--raised)" />
const dollar =
  'M9.9 6.2C9.6 5.6 8.9 5.3 8 5.3c-1 0-1.8.5-1.8 1.3 0 1.9 3.7.8 3.7 2.8 0 .8-.8 1.3-1.9 1.3-.9 0-1.7-.4-2-1M8 4.2v1M8 10.8v1'
const question = 'M6.2 6.3a1.85 1.85 0 1 1 2.6 1.7c-.5.25-.8.6-.8 1.1M8 11.4v.05'

const drawings: Readonly<Record<SessionStatus, readonly [ground: ReactNode, sign?: ReactNode]>> = {
  queued: [<circle key="ground" cx="8" cy="8" r="5.8" strokeDasharray="2.2 2.35" />],
  running: [turning, dot],
  waiting_approval: [disc, cutOut('M8 4.6v4.1M8 11.3v.05', 1.8)],
  waiting_user: [disc, cutOut(question, 1.5)],
  waiting_client: [disc, cutOut('M5 5.9h6v4.4H5zM5 7.4h6', 1.2)],
  idle: [ring],
  interrupting: [turning, sign('M8.6 5 7 8.2l2.2.4L7.6 11', 1.4)],
  interrupted: [<path key="ground" d="M10.9 3a5.8 5.8 0 1 0 2.9 5" />, sign('M11.6 2.2 13 5.2l-2.4.5 1.2 2.5', 1.4)],
  pausing: [turning, bars],
  paused: [ring, bars],
  resuming: [turning, dot],
  cancelling: [turning, slash],
  cancelled: [ring, slash],
  context_exhausted: [square, sign('M5.2 8h5.6', 2)],
  completed: [ring, sign('m5.5 8.2 1.8 1.8 3.3-3.7', 1.6)],
  failed: [disc, cutOut('m5.9 5.9 4.2 4.2m0-4.2-4.2 4.2', 1.7)],
  stopped_budget: [square, sign(dollar, 1.2)],
  stopped_turns: [square, sign('M10.6 8a2.6 2.6 0 1 1-.8-1.9M10 4.6v1.7H8.3', 1.3)],
}

export function StateGlyph({ state }: { readonly state: SessionStatus }) {
  const [ground, mark] = drawings[state]
  return (
    <svg className="glyph" data-state={state} aria-hidden="true" viewBox="0 0 16 16">
      {ground}
      {mark}
    </svg>
  )
}
