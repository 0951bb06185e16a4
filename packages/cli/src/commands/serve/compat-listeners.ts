// The compatibility listeners of `serve`: their plans from the flags, and what `serve` prints about them.
import { visibleText } from '@quarterdeck/protocol'
import { type CompatListenerPlan, defaultCompatPorts, type RunningServer } from '@quarterdeck/server'
import { approvalNotice } from '../../notices/approval-notice.ts'
import { paletteFor } from '../../render/palette.ts'
import { misuse } from '../../terminal/misuse.ts'
import { print, type Terminal } from '../../terminal/terminal.ts'

export type CompatFlag = Pick<CompatListenerPlan, 'wire' | 'port'>

export interface CompatFlags {
  readonly compat?: readonly CompatFlag[]
  readonly agent?: string
}

export function compatListenerPlans(
  { compat = [], agent }: CompatFlags,
  origins: readonly string[],
): readonly CompatListenerPlan[] {
  if (agent !== undefined && compat.length === 0) {
    throw misuse('--agent names the agent of the compatibility listeners: add --compat, or leave --agent out')
  }
  return compat.map((plan) => ({ ...plan, origins, ...(agent === undefined ? {} : { agent }) }))
}

/** Prints a warning with each: no token protects them. */
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
      print(terminal, `port ${wanted} is taken: the compatibility listener ${wire} uses ${port}`)
    print(terminal, `compat ${wire.padEnd(12)} ${url} for agent ${agent}`)
    const warn = (sentence: string) => print(terminal, palette.warning(`  ${visibleText(sentence)}`))
    const pages = plan?.origins?.length
      ? `pages of ${plan.origins.join(', ')}`
      : 'no pages of other origins (allow some with --origin)'
    warn(`without a token: every program on this machine may use it, and ${pages}`)
    const waits = approvalNotice(
      wire,
      agents.find(({ name }) => name === agent),
    )
    if (waits !== null) warn(waits)
  }
}
