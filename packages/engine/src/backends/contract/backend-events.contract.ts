// Helpers that read a backend's events, for the contract suite and the tests of adapters.
import type { EventDraft } from '@quarterdeck/protocol'
import type { BackendEvent, ToolGate } from '../backend.ts'

/** Allows every call by default. */
export function gateOf(parts: Partial<ToolGate>): ToolGate {
  return {
    check: async (call) => ({ type: 'allow', input: call.toolInput }),
    ask: async () => ({ type: 'deny', message: 'nobody is there' }),
    ...parts,
  }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** All events. Calls back after each token, with the events so far. */
export async function collectEvents(
  items: AsyncIterable<BackendEvent>,
  onToken: (events: readonly BackendEvent[]) => unknown,
): Promise<BackendEvent[]> {
  const events: BackendEvent[] = []
  for await (const event of items) {
    events.push(event)
    if (event.type === 'AgentStreamToken') await onToken(events)
  }
  return events
}

export const types = (events: readonly BackendEvent[]): string[] => events.map((event) => event.type)

export const durable = (events: readonly BackendEvent[]) => events.filter((event) => event.type !== 'AgentStreamToken')

type Durable = Exclude<BackendEvent, { type: 'AgentStreamToken' }>

export function find<Type extends Durable['type']>(
  events: readonly BackendEvent[],
  type: Type,
): Extract<Durable, { type: Type }> {
  const found = events.find((event): event is Extract<Durable, { type: Type }> => event.type === type)
  if (found === undefined) throw new Error(`no ${type} among ${types(events).join(', ')}`)
  return found
}

export function ended(events: readonly BackendEvent[]): EventDraft<'TurnEnded'> {
  const last = events.at(-1)
  if (last?.type !== 'TurnEnded') throw new Error(`the last event is ${last?.type}, not TurnEnded`)
  return last
}

export function tokensOf(events: readonly BackendEvent[], messageId: string, kind: 'text' | 'thinking'): string {
  return events
    .flatMap((event) => (event.type === 'AgentStreamToken' ? [event.data] : []))
    .filter((token) => token.messageId === messageId && token.kind === kind)
    .map((token) => token.text)
    .join('')
}
