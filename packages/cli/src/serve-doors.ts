// The doors of `serve`: what was asked for, and what is said about them at the start.
import { QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { type DoorPlan, type RunningServer, usualDoorPorts } from '@quarterdeck/server'
import type { DoorFlag } from './door-flag.ts'
import { paletteFor } from './render/palette.ts'
import { print, type Terminal } from './terminal.ts'
import { whatWaits } from './what-waits.ts'

export interface DoorFlags {
  readonly door?: readonly DoorFlag[]
  readonly agent?: string
}

export function doorPlans({ door = [], agent }: DoorFlags, origins: readonly string[]): readonly DoorPlan[] {
  if (agent !== undefined && door.length === 0) {
    throw new QuarterdeckError('request.invalid', '--agent says whose the doors are: it goes with --door')
  }
  return door.map((plan) => ({ ...plan, origins, ...(agent === undefined ? {} : { agent }) }))
}

/** Each with its warning: there is no token that would keep anybody out. */
export async function printDoors(
  terminal: Terminal,
  { doors, house }: RunningServer,
  plans: readonly DoorPlan[],
): Promise<void> {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const agents = doors.length === 0 ? [] : await house.agents.list()
  for (const [index, { wire, url, agent }] of doors.entries()) {
    const plan = plans[index]
    const wanted = plan === undefined ? 0 : (plan.port ?? usualDoorPorts[plan.wire])
    const { port } = new URL(url)
    if (wanted !== 0 && String(wanted) !== port)
      print(terminal, `port ${wanted} is taken: the door ${wire} uses ${port}`)
    print(terminal, `door  ${wire.padEnd(12)} ${url} for agent ${agent}`)
    const warn = (sentence: string) => print(terminal, palette.brass(`  ${visibleText(sentence)}`))
    const pages = plan?.origins?.length ? `pages of ${plan.origins.join(', ')}` : 'no page of another origin (--origin)'
    warn(`without a token: every program on this machine may use it, and ${pages}`)
    const waits = whatWaits(
      wire,
      agents.find(({ name }) => name === agent),
    )
    if (waits !== null) warn(waits)
  }
}
