// `quarterdeck run AGENT "message"`: one message in a new session; prints the answer.
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { type Engine, emptyResult, type UnattendedCall } from '@quarterdeck/engine'
import {
  type EventOfType,
  type ExecutionResult,
  errorReasons,
  executionResultToJson,
  type InputImage,
  imageTypeOf,
  modelLabel,
  QuarterdeckError,
  type SessionId,
  type SessionState,
  type StreamedEvent,
  type TurnOutcome,
  visibleText,
} from '@quarterdeck/protocol'
import { type BackendChoice, openAgent } from '../../connect/open-agent.ts'
import { type AddCommand, withRuntimeOptions } from '../../flags/command-options.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { printIdleHookWarnings } from '../../notices/idle-hook-warnings.ts'
import { createTerminalAsker } from '../../prompts/terminal-asker.ts'
import { watchTurn } from '../../prompts/watch-turn.ts'
import { markdownText } from '../../render/markdown/markdown-stream.ts'
import { type Palette, paletteFor } from '../../render/palette.ts'
import { activityAfter, callTitle } from '../../render/tool-line.ts'
import { createTurnPrinter } from '../../render/turn-printer.ts'
import { exitCodeOfTurn } from '../../terminal/exit-codes.ts'
import { misuse } from '../../terminal/misuse.ts'
import { type Progress, startProgress } from '../../terminal/progress.ts'
import { isInteractive, jsonText, print, remark, screenOf, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'

export interface RunFlags extends JsonFlags {
  readonly model?: string
  /** Image files to send with the message. */
  readonly image?: readonly string[]
}

export const addRunCommand: AddCommand = (program, terminal, finish) => {
  withRuntimeOptions(program.command('run'))
    .description('run one message and print the answer (exit 0 done, 1 agent error, 2 configuration, 3 backend)')
    .argument('<agent>', 'an agent file, or a folder with an agent.yaml')
    .argument('<message>', 'the message to send')
    .option('--json', 'print the whole result as JSON')
    .option('--image <file...>', 'images to send with the message')
    .option('--model <name>', 'model id or tier to use instead of the one in the file')
    .action(async (agent: string, message: string, flags) => finish(await run(terminal, { agent, message, flags })))
}

export async function run(
  terminal: Terminal,
  input: { agent: string; message: string; flags: RunFlags },
  backend: BackendChoice = {},
): Promise<number> {
  const { flags } = input
  const images = await readImages(terminal, flags.image ?? [])
  const canAsk = isInteractive(terminal)
  const progress = startProgress(terminal, 'Starting the agent')
  const { signal, leave, forget } = untilSignal(terminal)
  const denied: UnattendedCall[] = []
  const onUnattended = (call: UnattendedCall) => void denied.push(call)
  const openOptions = { path: input.agent, flags, canAsk, onUnattended }
  const { runtime, agentName } = await openAgent(terminal, openOptions, backend).finally(() => progress.hide())
  const { sessions } = runtime.engine
  const by = userInfo().username
  try {
    signal.throwIfAborted()
    await printIdleHookWarnings(terminal, runtime)
    const { sessionId, warnings = [] } = await sessions.createSession(
      {
        agent: agentName,
        mode: 'task',
        message: input.message,
        ...(images.length === 0 ? {} : { images }),
        ...(flags.model === undefined ? {} : { model: flags.model }),
      },
      by,
    )
    for (const warning of warnings) remark(terminal, `warning: ${visibleText(warning)}`)
    const { session } = await sessions.getSession(sessionId)
    remark(terminal, `session ${sessionId} · ${visibleText(modelLabel(session))}`)
    const palette = paletteFor(terminal.stderr, terminal.env)
    const { ended } = await watchTurn({
      engine: runtime.engine,
      sessionId,
      after: 0,
      onEvent: createNotes(terminal, { progress, palette, session, denied }),
      asker: canAsk ? createTerminalAsker({ terminal, palette, cwd: session.cwd, onLeave: leave }) : null,
      by,
      signal,
    })
    progress.stop()
    signal.throwIfAborted()
    const ran = await outcomeOf(runtime.engine, { sessionId, ended, by })
    const deniedLines = [...new Set(denied.map((call) => deniedLine(call, session.cwd)))]
    printOutcome(terminal, { ...ran, deniedLines, palette, isJson: flags.json === true })
    const exitCode = exitCodeOfTurn(ran.outcome, (await sessions.getSession(sessionId)).session)
    return exitCode === 0 && denied.length > 0 ? 1 : exitCode
  } finally {
    progress.stop()
    forget()
    await runtime.close()
  }
}

interface NotesOptions {
  readonly progress: Progress
  readonly palette: Palette
  readonly session: SessionState
  /** Printed at the end, with the rule that allows each call. */
  readonly denied: readonly UnattendedCall[]
}

/** Prints what happens beside the answer, which is printed whole at the end, for pipes. */
function createNotes(terminal: Terminal, { progress, palette, session, denied }: NotesOptions) {
  const printer = createTurnPrinter({
    write: () => undefined,
    note(line) {
      progress.hide()
      remark(terminal, line)
    },
    palette,
    session: () => session,
    isReasonReported: true,
    isDenialReported: (toolUseId) => denied.some((call) => call.toolUseId === toolUseId),
  })
  return (event: StreamedEvent): void => {
    // Progress would be drawn over the question.
    if (event.type === 'ApprovalRequested' || event.type === 'QuestionAsked') progress.stop()
    progress.say(activityAfter(event))
    // The text itself is not printed here.
    if (event.type !== 'AgentStreamDiscarded') printer.print(event)
  }
}

interface PrintedOutcome extends Outcome {
  readonly deniedLines: readonly string[]
  readonly palette: Palette
  readonly isJson: boolean
}

function printOutcome(
  terminal: Terminal,
  { result: own, sentence, deniedLines, palette, isJson }: PrintedOutcome,
): void {
  const errorReason = own.errorReason ?? deniedLines[0] ?? null
  const result = { ...own, isError: own.isError || deniedLines.length > 0, errorReason }
  const screen = screenOf(terminal)
  // Programs get the answer unchanged; on a terminal its control characters are escaped.
  const answer = screen === undefined ? result.response : markdownText(result.response, screen)
  if (isJson) print(terminal, jsonText(executionResultToJson(result)))
  else if (answer !== '') print(terminal, answer)
  if (own.isError) remark(terminal, palette.bad(`error: ${visibleText(sentence)}`))
  for (const line of deniedLines) remark(terminal, palette.bad(`error: ${line}`))
}

function deniedLine(call: UnattendedCall, cwd: string): string {
  const remedy = `To allow it, add ${visibleText(call.allowedBy)} to the agent file, or run this in a terminal.`
  return `${callTitle(call, cwd)}: denied, because it needs approval and no person could be asked. ${remedy}`
}

interface Outcome {
  readonly result: ExecutionResult
  readonly outcome: TurnOutcome
  /** The error of a failed run. */
  readonly sentence: string
}

/** A budget may refuse the turn before it starts; then no turn ends, and this error is the result. */
async function outcomeOf(
  { sessions }: Engine,
  run: { readonly sessionId: SessionId; readonly ended: EventOfType<'TurnEnded'> | null; readonly by: string },
): Promise<Outcome> {
  const { session } = await sessions.getSession(run.sessionId)
  const isOutOfBudget = session.status === 'stopped_budget'
  // Cancelled because the command ends here: otherwise a server would run it when the budget allows it again.
  if (isOutOfBudget && session.stoppedBy !== null) await sessions.cancel(run.sessionId, run.by)
  if (run.ended !== null) {
    const { result, outcome } = run.ended.data
    return { result, outcome, sentence: result.errorReason ?? outcome }
  }
  if (!isOutOfBudget) throw new QuarterdeckError('backend.crashed', 'the session ended without a result')
  const result = { ...emptyResult, isError: true, errorReason: errorReasons.budget }
  return { result, outcome: 'budget_limit', sentence: session.statusReason ?? errorReasons.budget }
}

/** Throws `request.invalid` for files that cannot be read or are not images. The session checks their sizes. */
const readImages = (terminal: Terminal, files: readonly string[]): Promise<InputImage[]> =>
  Promise.all(files.map((file) => readImage(resolve(terminal.cwd, file))))

async function readImage(path: string): Promise<InputImage> {
  const content = await readFile(path).catch((cause: unknown) => {
    throw misuse(`--image ${path} cannot be read`, { cause })
  })
  const data = content.toString('base64')
  const mediaType = imageTypeOf(data)
  if (mediaType !== null) return { mediaType, data }
  throw misuse(`--image ${path} is not an image: use PNG, JPEG, GIF or WebP`)
}
