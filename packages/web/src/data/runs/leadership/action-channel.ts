// Sends actions from the tabs that show an analysis to the tab that leads it. Messages can be lost while the lead
// closes, so each is repeated until answered and performed once.
import type { ActionOutcome, AnalysisAction } from './analysis-action.ts'

type Message =
  | { readonly kind: 'act'; readonly id: string; readonly action: AnalysisAction }
  | { readonly kind: 'done'; readonly id: string; readonly outcome: ActionOutcome }

/** The same id is the same action. */
type Perform = (action: AnalysisAction, id: string) => Promise<ActionOutcome>

export type Port = Pick<BroadcastChannel, 'postMessage' | 'close' | 'addEventListener'>

export function openActionChannel(port: Port, { newId, againMs = 1000 }: { newId: () => string; againMs?: number }) {
  const waiting = new Map<
    string,
    { readonly action: AnalysisAction; readonly settle: (outcome: ActionOutcome) => void }
  >()
  const started = new Map<string, Promise<ActionOutcome>>()
  let perform: Perform | null = null
  let isClosed = false

  const post = (message: Message) => {
    if (!isClosed) port.postMessage(message)
  }

  function begin(id: string, action: AnalysisAction): Promise<ActionOutcome> | undefined {
    if (perform === null) return undefined
    const outcome = started.get(id) ?? perform(action, id)
    started.set(id, outcome)
    return outcome
  }

  function settle(id: string, outcome: ActionOutcome): void {
    waiting.get(id)?.settle(outcome)
    waiting.delete(id)
  }

  async function receive(message: Message): Promise<void> {
    if (message.kind === 'done') return settle(message.id, message.outcome)
    const outcome = await begin(message.id, message.action)
    if (outcome !== undefined) post({ kind: 'done', id: message.id, outcome })
  }

  // Only tabs of the same origin share this channel, and they run the same code.
  port.addEventListener('message', (event) => void receive(event.data as Message))
  const timer = setInterval(() => {
    for (const [id, { action }] of waiting) if (perform === null) post({ kind: 'act', id, action })
  }, againMs)

  async function performOrPost(id: string, action: AnalysisAction): Promise<void> {
    const outcome = await begin(id, action)
    if (outcome !== undefined) settle(id, outcome)
    else post({ kind: 'act', id, action })
  }

  return {
    /** Resolves when a tab performed it. This tab performs it itself once it leads. */
    send(action: AnalysisAction) {
      const id = newId()
      return new Promise<ActionOutcome>((resolve) => {
        waiting.set(id, { action, settle: resolve })
        void performOrPost(id, action)
      })
    },
    /** From now on this tab performs actions, including its own pending ones; `null`: another tab does. */
    serve(next: Perform | null) {
      perform = next
      for (const [id, { action }] of waiting) void performOrPost(id, action)
    },
    close() {
      isClosed = true
      clearInterval(timer)
      port.close()
    },
  }
}
