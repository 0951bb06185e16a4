// Decides who may run now. There are two limits, for processes (memory) and running turns (CPU), and a third if an
// agent file sets one. At capacity, sessions queue in first-in, first-out order and see their position.
import type { QueuePosition, SessionId } from '@quarterdeck/protocol'
import type { About, QueuePositionPublisher } from './queue-position-publisher.ts'
import { createTurnSlot, type TurnSlot } from './turn-slot.ts'

export interface AdmissionQueueOptions {
  readonly maxResident: number
  readonly maxRunningTurns: number
  readonly queuePositions: Pick<QueuePositionPublisher, 'show'>
  /** False while the machine has too little memory for another process. */
  readonly hasMemory: () => boolean
  /**
   * Starts to end an idle process: spares first, then the one that rested longest. Returns `null` if there is none.
   * `leaveProcess` is called when it is gone.
   */
  readonly evict: (mayGo: (sessionId: SessionId) => boolean) => SessionId | null
}

export interface Applicant {
  readonly sessionId: SessionId
  readonly about: () => About
  /** The number of turns of its agent that may run at once; `null` for no limit. */
  readonly agentLimit?: number | null
}

export type AdmissionQueue = ReturnType<typeof createAdmissionQueue>

interface Ticket extends Applicant {
  readonly wants: 'turn' | 'process'
  readonly admit: () => void
}

export function createAdmissionQueue(options: AdmissionQueueOptions) {
  const { maxResident, maxRunningTurns, queuePositions } = options
  const residents = new Set<SessionId>()
  const leaving = new Set<SessionId>()
  // Turns that were admitted and have not ended. The session itself only knows this a moment later.
  const inTurn = new Set<SessionId>()
  const inFront = new WeakSet<Ticket>()
  /** Running turns by agent. */
  const working = new Map<string, number>()
  const watchers: (() => void)[] = []
  let queue: readonly Ticket[] = []
  let running = 0

  const hasProcess = (sessionId: SessionId) => residents.has(sessionId) && !leaving.has(sessionId)
  // If nothing runs, no memory will ever be freed: one process may then start regardless.
  const hasCapacity = () => residents.size < maxResident && (running === 0 || options.hasMemory())

  /** Admits sessions in order. Listeners are called last, because they may ask for another review. */
  function review(): void {
    let coming = leaving.size
    const promised: Ticket[] = []
    const stillWaiting: Ticket[] = []
    const admitted: Ticket[] = []
    for (const [index, ticket] of queue.entries()) {
      const isTurnFree = ticket.wants === 'process' || hasTurn(ticket, promised)
      if (isTurnFree && mayHaveProcess(ticket.sessionId)) {
        take(ticket)
        admitted.push(ticket)
        continue
      }
      stillWaiting.push(ticket)
      if (!isTurnFree || hasProcess(ticket.sessionId)) continue
      // A session further back may lose its process to this one. The free turn is reserved for this one meanwhile.
      const isComing = coming > 0 || freeCapacity(index)
      coming = Math.max(0, coming - 1)
      if (isComing && ticket.wants === 'turn') promised.push(ticket)
    }
    queue = stillWaiting
    for (const ticket of admitted) ticket.admit()
    for (const ticket of admitted) queuePositions.show(ticket.sessionId, null, ticket.about)
    for (const ticket of stillWaiting) show(ticket)
  }

  const hasTurn = (ticket: Ticket, promised: readonly Ticket[]): boolean =>
    running + promised.length < maxRunningTurns && mayAgentWork(ticket, promised)

  function mayAgentWork({ agentLimit = null, about }: Ticket, promised: readonly Ticket[] = []): boolean {
    if (agentLimit === null) return true
    const { agentName } = about()
    const coming = promised.filter((other) => other.about().agentName === agentName)
    return (working.get(agentName) ?? 0) + coming.length < agentLimit
  }

  function countWorking({ about }: Applicant, change: 1 | -1): void {
    const { agentName } = about()
    running += change
    working.set(agentName, (working.get(agentName) ?? 0) + change)
  }

  const mayHaveProcess = (sessionId: SessionId): boolean =>
    hasProcess(sessionId) || (!leaving.has(sessionId) && hasCapacity())

  function take(ticket: Ticket): void {
    const { sessionId, wants } = ticket
    residents.add(sessionId)
    if (wants === 'process') return
    inTurn.add(sessionId)
    countWorking(ticket, 1)
  }

  function freeCapacity(index: number): boolean {
    const before = new Set(queue.slice(0, index + 1).map(({ sessionId }) => sessionId))
    const evicted = options.evict((id) => !leaving.has(id) && !before.has(id) && !inTurn.has(id))
    if (evicted !== null) leaving.add(evicted)
    return evicted !== null
  }

  function show(ticket: Ticket): void {
    const index = queue.indexOf(ticket)
    if (index === -1) return // a listener has changed the queue
    queuePositions.show(
      ticket.sessionId,
      mayAgentWork(ticket) ? positionInQueue(ticket, index) : positionAtAgent(ticket),
      ticket.about,
    )
  }

  function positionInQueue({ sessionId }: Ticket, index: number): QueuePosition {
    const isLackingProcess = !hasProcess(sessionId) && !hasCapacity()
    return { reason: isLackingProcess ? 'process' : 'turn', position: index + 1, waiting: queue.length }
  }

  /** Only sessions of the same agent count. */
  function positionAtAgent(ticket: Ticket): QueuePosition {
    const { agentName } = ticket.about()
    const own = queue.filter(({ about }) => about().agentName === agentName)
    return { reason: 'agent', position: own.indexOf(ticket) + 1, waiting: own.length }
  }

  function leaveQueue(ticket: Ticket): void {
    if (!queue.includes(ticket)) return
    queue = queue.filter((other) => other !== ticket)
    queuePositions.show(ticket.sessionId, null, ticket.about)
    review()
  }

  /** Resolves with true when admitted, with false when the signal aborts first. */
  function enqueue(applicant: Applicant, wants: Ticket['wants'], signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const give = () => {
        leaveQueue(ticket)
        resolve(false)
      }
      const admitted = () => {
        signal.removeEventListener('abort', give)
        resolve(true)
      }
      const ticket: Ticket = { ...applicant, wants, admit: admitted }
      if (signal.aborted) return resolve(false)
      signal.addEventListener('abort', give, { once: true })
      queue = [...queue, ticket]
      review()
    })
  }

  /** Ahead of all turns that have not begun. */
  function requeueFirst(applicant: Applicant, admitted: () => void): () => void {
    const ticket: Ticket = { ...applicant, wants: 'turn', admit: admitted }
    const returning = queue.filter((other) => inFront.has(other))
    inFront.add(ticket)
    queue = [...returning, ticket, ...queue.filter((other) => !inFront.has(other))]
    review()
    return () => leaveQueue(ticket)
  }

  const releaseTurn = (applicant: Applicant) => {
    countWorking(applicant, -1)
    review()
  }

  const isWanted = () => queue.some((ticket) => !hasProcess(ticket.sessionId))

  /** True if it has a slot that was not being freed already. */
  function beginLeaving(sessionId: SessionId): boolean {
    if (!hasProcess(sessionId)) return false
    leaving.add(sessionId)
    return true
  }

  function leaveProcess(sessionId: SessionId): void {
    leaving.delete(sessionId)
    if (!residents.delete(sessionId)) return
    review()
    for (const watch of watchers.splice(0)) watch()
  }

  function takeFree(sessionId: SessionId): boolean {
    if (hasProcess(sessionId)) return true
    if (isWanted() || leaving.has(sessionId) || !hasCapacity()) return false
    residents.add(sessionId)
    return true
  }

  return {
    /** Waits for a process and a turn. `null` when the signal aborts first. */
    async enterTurn(applicant: Applicant, signal: AbortSignal): Promise<TurnSlot | null> {
      if (!(await enqueue(applicant, 'turn', signal))) return null
      const turnSlot = createTurnSlot({
        release: () => releaseTurn(applicant),
        requeueFirst: (admitted) => requeueFirst(applicant, admitted),
      })
      return {
        ...turnSlot,
        leave() {
          inTurn.delete(applicant.sessionId)
          turnSlot.leave()
        },
      }
    },
    /** Waits for a process only. */
    enterProcess: (applicant: Applicant, signal: AbortSignal) => enqueue(applicant, 'process', signal),
    /** Takes a free slot that no queued session waits for. */
    takeFree,
    /** As `takeFree`, but may evict a resting process first. */
    async takeProcess(sessionId: SessionId): Promise<boolean> {
      if (takeFree(sessionId)) return true
      if (isWanted() || (leaving.size === 0 && !freeCapacity(-1))) return false
      await new Promise<void>((resolve) => watchers.push(resolve))
      return takeFree(sessionId)
    },
    /** Its process is ending: it no longer counts as usable, but keeps its slot until `leaveProcess`. */
    beginLeaving,
    /** Frees a slot whose process was never opened. The slot of an admitted turn stays. */
    freeUnusedSlot(sessionId: SessionId): void {
      if (hasProcess(sessionId) && !inTurn.has(sessionId)) leaveProcess(sessionId)
    },
    /** It has a slot and its process is not ending. */
    hasProcess,
    leaveProcess,
    isQueued: (sessionId: SessionId) => queue.some((ticket) => ticket.sessionId === sessionId),
    review,
    resident: () => residents.size,
    running: () => running,
    waiting: () => queue.length,
  }
}
