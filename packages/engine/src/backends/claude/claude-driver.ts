// Turns on a CLI process: hears it out until it is idle, and says how the turn ended.
import { draft, type EventDraft } from '@quarterdeck/protocol'
import type { BackendEvent } from '../backend.ts'
import type { TurnDriver } from '../create-agent-session.ts'
import { endTurn } from '../turn-record.ts'
import type { ClaudeProcess, Heard } from './claude-process.ts'
import type { ResidentProcess } from './resident-process.ts'
import type { Translator } from './translator.ts'
import { isOver, isTurnStart, newTurn, noteState, patienceOf, type TurnProgress } from './turn-progress.ts'

export interface ClaudeDriverOptions {
  readonly translator: Translator
  readonly resident: ResidentProcess
  /** What the operator should know about how this session is protected: told once, with the first turn. */
  readonly notices: readonly BackendEvent[]
  /** Named when the provider refuses the key. */
  readonly keyVariable: string
  readonly now: () => number
  /** How long an interrupted turn may take to end by itself. */
  readonly interruptPatienceMs: number
}

export function createClaudeDriver(options: ClaudeDriverOptions): TurnDriver {
  const { translator, resident, now, interruptPatienceMs } = options
  let current: TurnProgress | null = null
  let notices = options.notices
  let lastResort: NodeJS.Timeout | undefined

  async function* playTurn(input: string, turn: TurnProgress): AsyncGenerator<BackendEvent> {
    let wasThere = resident.current() !== null
    let running = await resident.ensure()
    yield* resident.news()
    if (turn.isInterrupted) return
    running.send(input)
    for (;;) {
      const heard = await running.hear(patienceOf(turn))
      const isFirst = wasThere && !turn.hasBegun && !turn.isInterrupted
      const news = isFirst ? diedAtRest(heard) : resident.forgotten(heard)
      if (news === null) {
        yield* react(heard, turn, options)
        if (isOver(heard, turn)) return
      } else {
        yield news
        wasThere = false
        running = await resident.startAgain()
        yield* resident.news()
        if (turn.isInterrupted) return
        running.send(input)
      }
    }
  }

  return {
    async *turn(input) {
      const startedAt = now()
      const turn = newTurn()
      current = turn
      translator.beginTurn()
      yield* notices
      notices = []
      try {
        yield* playTurn(input, turn)
        yield finish(turn, options, now() - startedAt)
      } finally {
        clearTimeout(lastResort)
        current = null
      }
    },
    async interrupt() {
      if (current === null || current.isInterrupted) return
      current.isInterrupted = true
      // A CLI that is stopped or traced hears nothing, but can be killed; whoever listens to it hears that it is gone.
      lastResort = setTimeout(() => void resident.drop(), interruptPatienceMs)
      void askToEnd(resident.current())
    },
    setModel: (model) => resident.choose({ model }),
    setPermissionMode: (permissionMode) => resident.choose({ permissionMode }),
    close: resident.stop,
  }
}

/** A process that was there from an earlier turn and ends before it takes up the prompt had died in between. */
const diedAtRest = (heard: Heard): BackendEvent | null =>
  heard.type === 'ended' ? draft('BackendCrashed', heard.exit) : null

async function* react(heard: Heard, turn: TurnProgress, options: ClaudeDriverOptions): AsyncGenerator<BackendEvent> {
  const { translator, resident } = options
  if (heard.type === 'message') return yield* reactToMessage(heard.message, turn, options)
  if (heard.type === 'ended') {
    await resident.drop()
    yield* translator.discard(turn.isInterrupted ? 'interrupted' : 'the process ended')
    if (turn.ended === null && !turn.isInterrupted) yield draft('BackendCrashed', heard.exit)
  } else if (turn.isInterrupted && turn.ended === null) {
    await resident.drop()
    yield* translator.discard('interrupted')
  }
}

function* reactToMessage(
  message: unknown,
  turn: TurnProgress,
  { translator, resident }: ClaudeDriverOptions,
): Generator<BackendEvent> {
  noteState(turn, message)
  for (const event of translator.translate(message)) {
    if (event.type === 'TurnEnded') turn.ended = event
    else yield event
    if (event.type === 'ModelRequestRetrying' && event.data.status === 401) turn.refusedKey = true
  }
  // An interrupt that overtook its prompt was ignored: the turn begins now, so it is asked to end again.
  if ((turn.isInterrupted && isTurnStart(message)) || turn.refusedKey) void askToEnd(resident.current())
}

function finish(turn: TurnProgress, options: ClaudeDriverOptions, durationMs: number): EventDraft<'TurnEnded'> {
  const { translator, resident, keyVariable } = options
  if (turn.refusedKey) {
    const reason = `the provider refused the key (401): check ${keyVariable}`
    const told = turn.ended?.data
    return endTurn(told?.result ?? translator.record(), { ...told, outcome: 'failed', reason, durationMs })
  }
  if (turn.ended !== null) return turn.ended
  const outcome = turn.isInterrupted ? 'interrupted' : resident.current() === null ? 'crashed' : 'failed'
  const reason = 'the agent fell silent without a result'
  return endTurn(translator.record(), { outcome, reason, durationMs })
}

/** A process that died or is dying cannot answer; the turn's end says what happened. */
async function askToEnd(running: ClaudeProcess | null): Promise<void> {
  await running?.interrupt().catch(() => undefined)
}
