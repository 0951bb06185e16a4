// `quarterdeck sessions cancel | pause | resume | interrupt | fork | rewind`: sends one request to the server and
// prints the result.
import { type Applied, QuarterdeckError, type RewindReport, UserMessageId, visibleText } from '@quarterdeck/protocol'
import { connectServer } from '../../connect/connect-server.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'

const doneLabels = { cancel: 'cancelled', pause: 'pausing', resume: 'resuming', interrupt: 'interrupting' } as const

export async function controlSession(
  terminal: Terminal,
  input: { id: string; control: keyof typeof doneLabels; flags: JsonFlags },
): Promise<number> {
  const sessionId = sessionIdOf(terminal, input.id)
  const client = await connectServer(terminal, input.flags)
  const applied = await client[input.control](sessionId)
  return report(terminal, input.flags, { applied, text: `${sessionId}: ${doneLabels[input.control]}` })
}

export interface ForkFlags extends JsonFlags {
  readonly at?: number
  readonly title?: string
  readonly message?: string
}

export async function forkSession(terminal: Terminal, input: { id: string; flags: ForkFlags }): Promise<number> {
  const { at, title, message } = input.flags
  const client = await connectServer(terminal, input.flags)
  const applied = await client.fork(sessionIdOf(terminal, input.id), { at, title, message })
  return report(terminal, input.flags, { applied, text: applied.sessionId })
}

export interface RewindFlags extends JsonFlags {
  readonly conversation?: boolean
  readonly files?: boolean
  readonly dryRun?: boolean
}

export async function rewindSession(
  terminal: Terminal,
  input: { id: string; message: string; flags: RewindFlags },
): Promise<number> {
  const messageId = UserMessageId.safeParse(input.message)
  if (!messageId.success) {
    const detail = `"${input.message}" is not a message id: "${commandLine(terminal)} sessions show" lists them (umsg_…)`
    throw new QuarterdeckError('message.not-found', detail)
  }
  const { conversation = true, files = true, dryRun = false } = input.flags
  const client = await connectServer(terminal, input.flags)
  const done = await client.rewind(sessionIdOf(terminal, input.id), {
    messageId: messageId.data,
    conversation,
    files,
    dryRun,
  })
  return report(terminal, input.flags, { applied: done, text: rewindText(done, dryRun) })
}

function rewindText({ conversation, files }: RewindReport, dryRun: boolean): string {
  const lines = [
    ...(conversation ? [dryRun ? 'the conversation would be rewound' : 'the conversation is rewound'] : []),
    ...(files?.restored ?? []).map((path) => `${dryRun ? 'would restore' : 'restored'} ${visibleText(path)}`),
    ...(files?.notRestored ?? []).map(
      ({ path, reason }) => `not restored ${visibleText(path)}: ${visibleText(reason)}`,
    ),
  ]
  return lines.length === 0 ? 'nothing to restore' : lines.join('\n')
}

function report(
  terminal: Terminal,
  flags: JsonFlags,
  { applied, text }: { readonly applied: Applied; readonly text: string },
): number {
  print(terminal, flags.json === true ? jsonText(applied) : text)
  return 0
}
