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

/** Prints one warning for all of them: no token protects them. They serve one agent and the same origins. */
export async function printCompatListeners(
  terminal: Terminal,
  { compatListeners, runtime }: RunningServer,
  plans: readonly CompatListenerPlan[],
): Promise<void> {
  if (compatListeners.length === 0) return
  for (const [index, { wire, url, agent }] of compatListeners.entries()) {
    const plan = plans[index]
    const wanted = plan === undefined ? 0 : (plan.port ?? defaultCompatPorts[plan.wire])
    const { port } = new URL(url)
    if (wanted !== 0 && String(wanted) !== port)
      print(terminal, `port ${wanted} is taken: the compatibility listener ${wire} uses ${port}`)
    print(terminal, `compat ${wire.padEnd(12)} ${url} for agent ${agent}`)
  }
  const palette = paletteFor(terminal.stdout, terminal.env)
  const warn = (sentence: string) => print(terminal, palette.warning(`  ${visibleText(sentence)}`))
  const origins = plans[0]?.origins ?? []
  const pages =
    origins.length > 0 ? `and pages of ${origins.join(', ')}` : 'but no page of another origin (--origin allows some)'
  warn(`Compatibility listeners need no token: every program on this machine can use them, ${pages}.`)
  const agents = await runtime.agents.list()
  const [waits] = compatListeners.flatMap((listener) => approvalNotice(terminal, listener, agents) ?? [])
  if (waits !== undefined) warn(`Their ${waits}.`)
}
