import type { QueuePosition } from '@quarterdeck/protocol'

const ordinals = ['', 'First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth', 'Tenth']
const awaited = { process: 'a process', turn: 'a turn', rate: 'the provider', agent: 'this agent' } as const

/** `Third in line for a process: 2 before you`. */
export function queuePositionLabel({ reason, position }: QueuePosition): string {
  if (position === 1) return `Next in line for ${awaited[reason]}`
  return `${ordinals[position] ?? `Number ${position}`} in line for ${awaited[reason]}: ${position - 1} before you`
}
