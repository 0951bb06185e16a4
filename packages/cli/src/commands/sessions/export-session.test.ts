import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { run } from '../run/run.ts'
import { exportSession } from './export-session.ts'
import { listSessions } from './sessions.ts'

it.each(['markdown', 'jsonl'] as const)('an export as %s escapes control characters on a terminal', async (format) => {
  const { terminal, stdout } = await openTestTerminal({ piped: '' })
  const agent = await writeAgent(terminal.cwd)
  const nasty = '\u001b]0;owned\u0007 \u009b2J'
  await run(terminal, { agent, message: nasty, flags: {} }, scripted([[say(nasty)]]))
  await listSessions(terminal, {})
  const id = /ses_\w+/.exec(stdout())?.[0] ?? ''
  const textFor = async (isTTY: boolean) => {
    const screen = Object.assign(new PassThrough(), { isTTY })
    let text = ''
    screen.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    await exportSession({ ...terminal, stdout: screen }, { id, flags: { format } })
    return text
  }
  expect(await textFor(false)).toContain('\u009b2J')
  const shown = await textFor(true)
  expect(shown).toContain('owned')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys is what is looked for
  expect(shown).not.toMatch(/[\u001b\u0007\u009b]/)
})
