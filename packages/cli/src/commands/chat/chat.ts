// `quarterdeck chat AGENT`: a conversation in a terminal, or line by line through a pipe.
import { userInfo } from 'node:os'
import { createInterface, type Interface } from 'node:readline/promises'
import {
  type Applied,
  modelLabel,
  neverAborted,
  type SessionId,
  type SessionState,
  visibleText,
} from '@quarterdeck/protocol'
import { type BackendChoice, type OpenAgent, openAgent } from '../../connect/open-agent.ts'
import { type AddCommand, withRuntimeOptions } from '../../flags/command-options.ts'
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { printIdleHookWarnings } from '../../notices/idle-hook-warnings.ts'
import { createTerminalAsker } from '../../prompts/terminal-asker.ts'
import { paletteFor } from '../../render/palette.ts'
import { shortLine } from '../../render/tool-line.ts'
import { clearLine } from '../../terminal/clear-line.ts'
import { commandFor, shellWord } from '../../terminal/command-line.ts'
import { misuse } from '../../terminal/misuse.ts'
import { startProgress } from '../../terminal/progress.ts'
import { isInteractive, remark, type Terminal } from '../../terminal/terminal.ts'
import { runSlashCommand } from './slash-commands.ts'
import { createTerminalConversation, type TerminalConversation } from './terminal-conversation.ts'

export interface ChatFlags extends SharedFlags {
  readonly model?: string
  readonly resume?: string
}

export const addChatCommand: AddCommand = (program, terminal, finish) => {
  withRuntimeOptions(program.command('chat'))
    .description('talk to an agent; in a pipe, each line is a message')
    .argument('[agent]', 'an agent file, or a folder with an agent.yaml', '.')
    .option('--resume <session>', 'continue an earlier session')
    .option('--model <name>', 'model id or tier to use instead of the one in the file')
    .action(async (agent: string, flags) => finish(await chat(terminal, { agent, flags })))
}

export async function chat(
  terminal: Terminal,
  input: { agent: string; flags: ChatFlags },
  backend: BackendChoice = {},
): Promise<number> {
  const canAsk = isInteractive(terminal)
  const starting = startProgress(terminal, 'Starting')
  const openOptions = { path: input.agent, flags: input.flags, canAsk }
  const opened = await openAgent(terminal, openOptions, backend).finally(starting.stop)
  const { runtime } = opened
  const palette = paletteFor(terminal.stderr, terminal.env)
  // Only in a terminal: in a pipe, lines that arrive before they are read would be lost.
  const prompt = canAsk ? createInterface({ input: terminal.stdin, output: terminal.stderr }) : null
  const ahead = prompt === null ? null : keepTypeAhead(prompt, (line) => remark(terminal, palette.dim(line)))
  try {
    await printIdleHookWarnings(terminal, runtime)
    const by = userInfo().username
    const { sessionId, warnings = [] } = await openSession(terminal, { opened, flags: input.flags, by })
    for (const warning of warnings) remark(terminal, `warning: ${visibleText(warning)}`)
    const { session } = await runtime.engine.sessions.getSession(sessionId)
    if (!canAsk) refuseOpenQuestions(terminal, session, input.flags)
    const asker = prompt === null ? null : createTerminalAsker({ terminal, palette, cwd: session.cwd, prompt })
    const conversation = await createTerminalConversation({ terminal, engine: runtime.engine, sessionId, asker, by })
    remark(terminal, `${opened.agentName} · ${visibleText(modelLabel(session))} · session ${sessionId}`)
    if (prompt === null || ahead === null) await readPipe(conversation, terminal)
    else {
      remark(terminal, palette.dim('/help lists commands, Ctrl-C stops a turn or clears the line, Ctrl-D leaves'))
      await talk(conversation, prompt, ahead)
      remark(terminal, palette.dim(`\ncontinue later: ${visibleText(resumeCommand(terminal, input, sessionId))}`))
    }
    return conversation.exitCode()
  } finally {
    prompt?.close()
    await runtime.close()
  }
}

/** Includes the flags that select the data folder and the model source, so the command can be pasted unchanged. */
function resumeCommand(
  terminal: Terminal,
  { agent, flags }: { agent: string; flags: ChatFlags },
  sessionId: SessionId,
): string {
  const source = flags.modelSource === undefined ? '' : ` --model-source ${flags.modelSource}`
  return commandFor(terminal, `chat ${shellWord(agent)} --resume ${sessionId}${source}`, flags)
}

async function openSession(
  terminal: Terminal,
  { opened, flags, by }: { readonly opened: OpenAgent; readonly flags: ChatFlags; readonly by: string },
): Promise<Applied> {
  const { runtime, agentName } = opened
  if (flags.resume === undefined) {
    const model = flags.model === undefined ? {} : { model: flags.model }
    return runtime.engine.sessions.createSession({ agent: agentName, ...model }, by)
  }
  const sessionId = sessionIdOf(terminal, flags.resume)
  const { session } = await runtime.engine.sessions.getSession(sessionId)
  if (session.agentName !== agentName) {
    throw misuse(`session ${sessionId} belongs to agent "${session.agentName}", not to "${agentName}"`)
  }
  await runtime.engine.recover(sessionId)
  if (flags.model !== undefined) return runtime.engine.sessions.changeSession(sessionId, { model: flags.model }, by)
  return { sessionId, appliedSeq: session.seq }
}

/** In a pipe no person can answer, and every message would wait behind the question forever. */
function refuseOpenQuestions(
  terminal: Terminal,
  { sessionId, approvals, questions }: SessionState,
  flags: ChatFlags,
): void {
  const tools = [...new Set(approvals.map(({ toolName }) => visibleText(toolName)))]
  const what = [
    ...(tools.length === 0 ? [] : [`an approval (${tools.join(', ')})`]),
    ...(questions.length === 0 ? [] : ['an answer']),
  ]
  if (what.length === 0) return
  const commands = [
    ...(tools.length === 0 ? [] : [commandFor(terminal, `sessions approve ${sessionId}`, flags)]),
    ...(questions.length === 0 ? [] : [commandFor(terminal, `sessions answer ${sessionId}`, flags)]),
  ]
  const where = `decide in the workbench, with "${commands.join('", "')}" where a server runs, or with chat --resume at a terminal`
  throw misuse(`session ${sessionId} waits for ${what.join(' and ')}: ${where}`)
}

/** Reads lines at the prompt. Lines typed during a turn are sent first. */
async function talk(
  conversation: TerminalConversation,
  lines: Prompt,
  ahead: ReturnType<typeof keepTypeAhead>,
): Promise<void> {
  const leaving = new AbortController()
  lines.on('SIGINT', () => {
    ahead.drop()
    if (conversation.interrupt()) return
    if (lines.line === '') leaving.abort()
    else clearLine(lines)
  })
  lines.on('close', () => leaving.abort())
  await conversation.catchUp(leaving.signal)
  while (!leaving.signal.aborted) {
    const line = ahead.take() ?? (await nextLine(lines, leaving.signal))
    if (line === null || (await submitLine(conversation, line, leaving.signal)) === 'leave') return
  }
}

type Prompt = ReturnType<typeof createInterface>

/** `null` after Ctrl-C or Ctrl-D. */
const nextLine = (lines: Prompt, signal: AbortSignal): Promise<string | null> =>
  lines.question('\n› ', { signal }).then(
    (line) => line.trim(),
    () => null,
  )

/** Sends each line as a message after the previous answer is complete. */
async function readPipe(conversation: TerminalConversation, terminal: Terminal): Promise<void> {
  for await (const line of createInterface({ input: terminal.stdin })) {
    if ((await submitLine(conversation, line.trim(), neverAborted())) === 'leave') return
  }
}

/** Runs a line as a command, or sends it as a message. */
async function submitLine(
  conversation: TerminalConversation,
  line: string,
  signal: AbortSignal,
): Promise<'stay' | 'leave'> {
  if (line.startsWith('/')) return runSlashCommand(conversation, line)
  if (line !== '') await conversation.say(line, signal)
  return 'stay'
}

/** Queues the lines that are typed while a turn runs. The prompt emits only lines that do not answer a question. */
function keepTypeAhead(prompt: Interface, print: (line: string) => void) {
  const waiting: string[] = []
  prompt.on('line', (line) => {
    const message = line.trim()
    if (message === '') return
    waiting.push(message)
    print(`queued: ${shortLine(visibleText(message))}`)
  })
  return {
    /** The next queued line, or `null`. */
    take: () => waiting.shift() ?? null,
    /** Drops the queue: the lines were meant for the turn that was stopped. */
    drop() {
      for (const message of waiting.splice(0)) print(`not sent: ${shortLine(visibleText(message))}`)
    },
  }
}
