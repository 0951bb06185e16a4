// Who may run now. Two limits: processes (memory) and running turns (processors), and a third where an agent file sets
// one. Whoever does not fit stands in one line, first come first served, and its place is shown.
import type { QueuePosition, SessionId } from '@quarterdeck/protocol'
import type { About, QueuePositions } from './queue-positions.ts'
import { createTurnSlot, type TurnSlot } from './turn-slot.ts'

export interface AdmissionOptions {
  readonly maxResident: number
  readonly maxRunningTurns: number
  readonly queuePositions: Pick<QueuePositions, 'show'>
  /** False while the machine has too little memory for another process. */
  readonly hasMemory: () => boolean
  /**
   * Begins to end a process that does nothing now and may go, spares first, then the one that rested longest; `null`
   * when there is none. `leaveProcess` tells when it is gone.
   */
  readonly evict: (mayGo: (sessionId: SessionId) => boolean) => SessionId | null
}

export interface Applicant {
  readonly sessionId: SessionId
  readonly about: () => About
  /** How many turns of its agent may run at once; `null` for as many as there are. */
  readonly agentLimit?: number | null
}

export type Admission = ReturnType<typeof createAdmission>

interface Ticket extends Applicant {
  readonly wants: 'turn' | 'process'
  readonly admit: () => void
}

export function createAdmission(options: AdmissionOptions) {
  const { maxResident, maxRunningTurns, queuePositions } = options
  const residents = new Set<SessionId>()
  const leaving = new Set<SessionId>()
  // Let in and not over: told here, because the session itself knows it only a moment after it was let in.
  const inTurn = new Set<SessionId>()
  const inFront = new WeakSet<Ticket>()
  /** Running turns by agent. */
  const working = new Map<string, number>()
  const watchers: (() => void)[] = []
  let queue: readonly Ticket[] = []
  let running = 0

  const hasProcess = (sessionId: SessionId) => residents.has(sessionId) && !leaving.has(sessionId)
  // With nothing running nobody would ever give memory back: then one may go on however little there is.
  const hasCapacity = () => residents.size < maxResident && (running === 0 || options.hasMemory())

  /**
   * Lets in whoever fits, in order, and tells the others where they stand. Nobody hears of it before everything is
   * settled: whoever listens may ask for another review at once.
   */
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
      // Whoever stands behind may have to give its process to who stands before it; the turn is kept for that one.
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
    const going = options.evict((id) => !leaving.has(id) && !before.has(id) && !inTurn.has(id))
    if (going !== null) leaving.add(going)
    return going !== null
  }

  function show(ticket: Ticket): void {
    const index = queue.indexOf(ticket)
    if (index === -1) return // a listener has changed the line meanwhile
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

  /** Those of other agents do not stand before it. */
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

  /** Resolves with true when its time has come, with false when the signal aborts first. */
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

  /** Before everybody who has not begun yet. */
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

  /** True when it has a place that was not on its way out already. */
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
    /** Waits for a process and a turn; `null` when the signal aborts first. */
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
    /** Takes a place that is free and that nobody in line waits for. */
    takeFree,
    /** As `takeFree`, also where a resting process has to go first. */
    async takeProcess(sessionId: SessionId): Promise<boolean> {
      if (takeFree(sessionId)) return true
      if (isWanted() || (leaving.size === 0 && !freeCapacity(-1))) return false
      await new Promise<void>((resolve) => watchers.push(resolve))
      return takeFree(sessionId)
    },
    /** Its process goes from now on: nobody counts on it any more, though its place is taken until `leaveProcess`. */
    beginLeaving,
    /** A place that was taken for a process that did not come after all. One that a turn was let in with stays. */
    giveBack(sessionId: SessionId): void {
      if (hasProcess(sessionId) && !inTurn.has(sessionId)) leaveProcess(sessionId)
    },
    /** It has a place, and its process is not on its way out. */
    hasProcess,
    leaveProcess,
    isQueued: (sessionId: SessionId) => queue.some((ticket) => ticket.sessionId === sessionId),
    review,
    resident: () => residents.size,
    running: () => running,
    waiting: () => queue.length,
  }
}
