// How the tabs that show an analysis tell the one that runs it what a person wants. A message can be lost, when the tab
// that runs it is just going: it is sent until it is answered, and done once.
import type { Act, ActOutcome } from './act.ts'

type Message =
  | { readonly kind: 'act'; readonly id: string; readonly act: Act }
  | { readonly kind: 'done'; readonly id: string; readonly outcome: ActOutcome }

export interface ActChannel {
  /** Resolves when some tab has done it; this one does it itself as soon as it leads. */
  send(act: Act): Promise<ActOutcome>
  /** From now on this tab does what is asked, also what it has asked itself; `null`: another one does. */
  serve(perform: Perform | null): void
  close(): void
}

/** The same id is the same act. */
type Perform = (act: Act, id: string) => Promise<ActOutcome>

export type Port = Pick<BroadcastChannel, 'postMessage' | 'close' | 'addEventListener'>

export function openActChannel(
  port: Port,
  { newId, againMs = 1000 }: { newId: () => string; againMs?: number },
): ActChannel {
  const waiting = new Map<string, { readonly act: Act; readonly settle: (outcome: ActOutcome) => void }>()
  const begun = new Map<string, Promise<ActOutcome>>()
  let perform: Perform | null = null
  let isClosed = false

  const post = (message: Message) => {
    if (!isClosed) port.postMessage(message)
  }

  function begin(id: string, act: Act): Promise<ActOutcome> | undefined {
    if (perform === null) return undefined
    const outcome = begun.get(id) ?? perform(act, id)
    begun.set(id, outcome)
    return outcome
  }

  function settle(id: string, outcome: ActOutcome): void {
    waiting.get(id)?.settle(outcome)
    waiting.delete(id)
  }

  async function hear(message: Message): Promise<void> {
    if (message.kind === 'done') return settle(message.id, message.outcome)
    const outcome = await begin(message.id, message.act)
    if (outcome !== undefined) post({ kind: 'done', id: message.id, outcome })
  }

  // Only tabs of this page's own origin hear each other, and they run the same code.
  port.addEventListener('message', (event) => void hear(event.data as Message))
  const timer = setInterval(() => {
    for (const [id, { act }] of waiting) if (perform === null) post({ kind: 'act', id, act })
  }, againMs)

  async function perhaps(id: string, act: Act): Promise<void> {
    const outcome = await begin(id, act)
    if (outcome !== undefined) settle(id, outcome)
    else post({ kind: 'act', id, act })
  }

  return {
    send(act) {
      const id = newId()
      return new Promise((resolve) => {
        waiting.set(id, { act, settle: resolve })
        void perhaps(id, act)
      })
    },
    serve(next) {
      perform = next
      for (const [id, { act }] of waiting) void perhaps(id, act)
    },
    close() {
      isClosed = true
      clearInterval(timer)
      port.close()
    },
  }
}
