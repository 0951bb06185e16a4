import type { QueuePlace } from '@quarterdeck/protocol'

const ordinals = ['', 'First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth', 'Tenth']
const lines = { process: 'a process', turn: 'a turn', rate: 'the provider', agent: 'this agent' } as const

/** `Third in line for a process: 2 before you`. */
export function placeWords({ reason, position }: QueuePlace): string {
  if (position === 1) return `Next in line for ${lines[reason]}`
  return `${ordinals[position] ?? `Number ${position}`} in line for ${lines[reason]}: ${position - 1} before you`
}
