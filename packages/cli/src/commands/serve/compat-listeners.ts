// The doors of `serve`: what was asked for, and what is said about them at the start.
import { QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { type CompatListenerPlan, defaultCompatPorts, type RunningServer } from '@quarterdeck/server'
import { approvalNotice } from '../../connect/approval-notice.ts'
import { paletteFor } from '../../render/palette.ts'
import { print, type Terminal } from '../../terminal/terminal.ts'
import type { CompatFlag } from './compat-flag.ts'

export interface CompatFlags {
  readonly compat?: readonly CompatFlag[]
  readonly agent?: string
}

export function compatListenerPlans(
  { compat = [], agent }: CompatFlags,
  origins: readonly string[],
): readonly CompatListenerPlan[] {
  if (agent !== undefined && compat.length === 0) {
    throw new QuarterdeckError('request.invalid', '--agent says whose the doors are: it goes with --door')
  }
  return compat.map((plan) => ({ ...plan, origins, ...(agent === undefined ? {} : { agent }) }))
}

/** Each with its warning: there is no token that would keep anybody out. */
export async function printCompatListeners(
  terminal: Terminal,
  { compatListeners, runtime }: RunningServer,
  plans: readonly CompatListenerPlan[],
): Promise<void> {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const agents = compatListeners.length === 0 ? [] : await runtime.agents.list()
  for (const [index, { wire, url, agent }] of compatListeners.entries()) {
    const plan = plans[index]
    const wanted = plan === undefined ? 0 : (plan.port ?? defaultCompatPorts[plan.wire])
    const { port } = new URL(url)
    if (wanted !== 0 && String(wanted) !== port)
      print(terminal, `port ${wanted} is taken: the door ${wire} uses ${port}`)
    print(terminal, `door  ${wire.padEnd(12)} ${url} for agent ${agent}`)
    const warn = (sentence: string) => print(terminal, palette.brass(`  ${visibleText(sentence)}`))
    const pages = plan?.origins?.length ? `pages of ${plan.origins.join(', ')}` : 'no page of another origin (--origin)'
    warn(`without a token: every program on this machine may use it, and ${pages}`)
    const waits = approvalNotice(
      wire,
      agents.find(({ name }) => name === agent),
    )
    if (waits !== null) warn(waits)
  }
}
