// Runs turns on a CLI process: reads its messages until it is idle, and reports how the turn ended.
import { randomUUID, type UUID } from 'node:crypto'
import { draft, type UserMessageId } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import type { TurnDriver, TurnPrompt } from '../../driver/turn-driver.ts'
import type { Checkpoints } from '../checkpoints/create-checkpoints.ts'
import { capabilitiesOf } from '../cli/capabilities.ts'
import type { ClaudeProcess, ReceivedFromCli } from '../cli/claude-process.ts'
import { knownAttempts, messageUuid } from '../cli/message-uuid.ts'
import { finishTurn } from './finish-turn.ts'
import type { ResidentProcess } from './resident-process.ts'
import type { Translator } from './translator.ts'
import { createTurnProgress, defaultSilence, isTurnStart, type Silence, type TurnProgress } from './turn-progress.ts'

export interface ClaudeDriverOptions {
  readonly translator: Translator
  readonly resident: ResidentProcess
  readonly checkpoints: Pick<Checkpoints, 'note' | 'rewind'>
  /** Called when a turn begins. */
  readonly onTurn: () => void
  /** Security notices about this session, emitted once with the first turn. */
  readonly notices: readonly BackendEvent[]
  /** The configured tools. The CLI reports the exact list once it has run a turn. */
  readonly tools: readonly string[]
  /** Whether the session's budget is spent. */
  readonly isBudgetSpent: () => boolean
  readonly silence?: Silence
  /** Named in the error when the provider refuses the key. */
  readonly keyVariable: string
  readonly now: () => number
  /** How long an interrupted turn may take to end by itself. */
  readonly interruptTimeoutMs: number
}

export function createClaudeDriver(options: ClaudeDriverOptions): TurnDriver {
  const { translator, resident, checkpoints, now, interruptTimeoutMs } = options
  const attempts = new Map<UserMessageId, number>()
  let current: TurnProgress | null = null
  let notices = options.notices
  let lastResort: NodeJS.Timeout | undefined

  function deliver(turn: TurnProgress, running: ClaudeProcess, prompt: TurnPrompt): void {
    const uuid = nextUuid(prompt.messageId)
    turn.noteSent(prompt, uuid)
    running.send(prompt, uuid)
  }

  function nextUuid(messageId: UserMessageId | null): UUID {
    if (messageId === null) return randomUUID()
    const attempt = attempts.get(messageId) ?? 0
    attempts.set(messageId, attempt + 1)
    return attempt < knownAttempts ? messageUuid(messageId, attempt) : randomUUID()
  }

  /** Sends the prompts that are still waiting to a process that was just found or started. */
  async function* open(turn: TurnProgress, start: Promise<ClaudeProcess>): AsyncGenerator<BackendEvent, void> {
    turn.detach()
    const running = await start
    yield* resident.report()
    if (turn.isInterrupted()) return
    turn.attach(running)
    for (const prompt of turn.waiting()) deliver(turn, running, prompt)
  }

  async function* playTurn(turn: TurnProgress): AsyncGenerator<BackendEvent> {
    let wasThere = resident.current() !== null
    yield* open(turn, resident.ensure())
    resident.countTurn()
    for (let running = turn.process(); running !== null; running = turn.process()) {
      const received = await running.receive(
        turn.silenceLimit(options.silence ?? defaultSilence, options.isBudgetSpent()),
      )
      const isFirst = wasThere && !turn.hasBegun() && !turn.isInterrupted()
      const report = isFirst ? diedWhileIdle(received) : resident.resumeFailed(received)
      if (report === null) {
        const dropped = received.type === 'message' ? turn.recordDelivery(received.message) : null
        if (dropped !== null) deliver(turn, running, dropped)
        // Set together with the decision: a message that arrives later would be lost.
        if (received.type !== 'message') turn.close()
        yield* react(received, turn, options)
        if (turn.closeIfOver(received)) return
      } else {
        yield report
        wasThere = false
        yield* open(turn, resident.startAgain())
      }
    }
  }

  return {
    async *turn(input, messageId, images = []) {
      const startedAt = now()
      const turn = createTurnProgress({ text: input, messageId, images })
      current = turn
      translator.beginTurn()
      options.onTurn()
      yield* notices
      notices = []
      try {
        yield* playTurn(turn)
        turn.close()
        // The budget ends a turn but not its subagents (measured): they would continue to spend.
        if (translator.isWorking()) await resident.drop()
        yield finishTurn(turn, options, now() - startedAt)
      } finally {
        clearTimeout(lastResort)
        current = null
      }
    },
    async interrupt() {
      if (current === null || current.isInterrupted()) return
      current.interrupt()
      // A CLI that is stopped or traced does not respond, but can be killed. The reader of its stream then sees it end.
      lastResort = setTimeout(() => void resident.drop(), interruptTimeoutMs)
      void askToEnd(resident.current())
    },
    async warm() {
      // The turn will fail for the same reason and report it.
      const running = await resident.ensure().catch(() => null)
      await running?.initialized()
    },
    async steer(input, messageId) {
      const prompt = { text: input, messageId, images: [] }
      if (current === null || !current.steer(prompt)) return false
      const running = current.process()
      if (running !== null) deliver(current, running, prompt)
      return true
    },
    setModel: (model) => resident.choose({ model }),
    setPermissionMode: (permissionMode) => resident.choose({ permissionMode }),
    setThinking: (thinking) => resident.choose({ thinking }),
    async capabilities() {
      const running = await resident.ensure()
      const [initialized, mcpServers] = await Promise.all([running.initialized(), running.mcpServers()])
      return capabilitiesOf({ initialized, mcpServers, tools: translator.tools() ?? options.tools })
    },
    async rewindFiles(messageId, { dryRun }) {
      const process = await resident.ensure()
      return checkpoints.rewind({ process, messageId, dryRun }, resident.conversation())
    },
    load: () => ({ residentBytes: resident.current()?.residentBytes() ?? null, turns: resident.turns() }),
    close: resident.stop,
  }
}

/** A process of an earlier turn that ends before it picks up the prompt died while idle. */
const diedWhileIdle = (received: ReceivedFromCli): BackendEvent | null =>
  received.type === 'ended' ? draft('BackendCrashed', received.exit) : null

async function* react(
  received: ReceivedFromCli,
  turn: TurnProgress,
  options: ClaudeDriverOptions,
): AsyncGenerator<BackendEvent> {
  const { translator, resident } = options
  if (received.type === 'message') return yield* reactToMessage(received.message, turn, options)
  if (received.type === 'ended') {
    turn.noteExit()
    await resident.drop()
    yield* translator.discard(turn.isInterrupted() ? 'interrupted' : 'the process ended')
    if (turn.ended() === null && !turn.isInterrupted()) yield draft('BackendCrashed', received.exit)
  } else if (turn.ended() === null && (turn.isInterrupted() || !turn.isIdle())) {
    await resident.drop()
    yield* translator.discard(turn.isInterrupted() ? 'interrupted' : 'the agent stopped responding')
  }
}

function* reactToMessage(
  message: unknown,
  turn: TurnProgress,
  { translator, resident, checkpoints }: ClaudeDriverOptions,
): Generator<BackendEvent> {
  turn.recordState(message)
  const checkpointed = turn.takeRoundStart(message)
  if (checkpointed !== null) checkpoints.note(checkpointed)
  for (const event of translator.translate(message)) {
    if (event.type === 'TurnEnded') turn.end(event)
    else yield event
    if (event.type === 'ModelRequestRetrying' && event.data.status === 401) turn.noteKeyRefused()
  }
  if (checkpointed !== null) yield draft('FilesCheckpointed', { messageId: checkpointed })
  // An interrupt that overtook its prompt was ignored. The turn begins now, so the interrupt is sent again.
  if ((turn.isInterrupted() && isTurnStart(message)) || turn.isKeyRefused()) void askToEnd(resident.current())
}

/** A dying process cannot answer. The end of the turn reports what happened. */
async function askToEnd(running: ClaudeProcess | null): Promise<void> {
  await running?.interrupt().catch(() => undefined)
}
