// `quarterdeck sessions cancel | pause | resume | interrupt | fork | rewind`: sends one request to the server and
// prints the result.
import type { Client } from '@quarterdeck/client'
import {
  type Applied,
  QuarterdeckError,
  type RewindReport,
  type SessionId,
  UserMessageId,
  visibleText,
} from '@quarterdeck/protocol'
import { connectServer, type ServerFlags } from '../../connect/connect-server.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'

const controls = {
  cancel: { act: (client: Client, id: SessionId) => client.cancel(id), done: 'cancelled' },
  pause: { act: (client: Client, id: SessionId) => client.pause(id), done: 'pausing' },
  resume: { act: (client: Client, id: SessionId) => client.resume(id), done: 'resuming' },
  interrupt: { act: (client: Client, id: SessionId) => client.interrupt(id), done: 'interrupting' },
} as const

export async function controlSession(
  terminal: Terminal,
  input: { id: string; control: keyof typeof controls; flags: ServerFlags },
): Promise<number> {
  const { act, done } = controls[input.control]
  const sessionId = sessionIdOf(input.id)
  const applied = await act(await connectServer(terminal, input.flags), sessionId)
  return report(terminal, input.flags, { applied, text: `${sessionId}: ${done}` })
}

export interface ForkFlags extends ServerFlags {
  readonly at?: number
  readonly title?: string
  readonly message?: string
}

export async function forkSession(terminal: Terminal, input: { id: string; flags: ForkFlags }): Promise<number> {
  const { at, title, message } = input.flags
  const client = await connectServer(terminal, input.flags)
  const applied = await client.fork(sessionIdOf(input.id), { at, title, message })
  return report(terminal, input.flags, { applied, text: applied.sessionId })
}

export interface RewindFlags extends ServerFlags {
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
    const detail = `"${input.message}" is not a message id: "quarterdeck sessions show" lists them (umsg_…)`
    throw new QuarterdeckError('message.not-found', detail)
  }
  const { conversation = true, files = true, dryRun = false } = input.flags
  const client = await connectServer(terminal, input.flags)
  const done = await client.rewind(sessionIdOf(input.id), { messageId: messageId.data, conversation, files, dryRun })
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
  flags: ServerFlags,
  { applied, text }: { readonly applied: Applied; readonly text: string },
): number {
  print(terminal, flags.json === true ? jsonText(applied) : text)
  return 0
}
