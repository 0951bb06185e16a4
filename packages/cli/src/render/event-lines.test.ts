import type { ApprovalId } from '@quarterdeck/protocol'
import { openRuntime } from '@quarterdeck/server'
import { expect, it, onTestFinished } from 'vitest'
import { bash, say, scripted, writeAgent } from '../connect/scripted-agent.fixture.ts'
import { runtimeOptions } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { createEventLines } from './event-lines.ts'

it('writes one line for each session start, approval, turn and failure', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const lines: string[] = []
  const runtime = await openRuntime({
    ...runtimeOptions(terminal, {}, [await writeAgent(terminal.cwd)]),
    ...scripted([[bash('ls \u001b[2J'), say('Done.')], [{ type: 'fail', reason: 'the disk is full' }]]),
    role: 'server',
    address: null,
    canAsk: true,
    onWritten: createEventLines(
      (line) => lines.push(line),
      (command) => `quarterdeck ${command}`,
    ),
  })
  onTestFinished(runtime.close)
  const { sessions } = runtime.engine
  const { sessionId } = await sessions.createSession({ agent: 'tester', message: 'go' }, 'ana')
  await expect.poll(() => lines.at(-1)).toContain('waiting for approval')
  const [approvalId = ''] = lines.at(-1)?.match(/apr_\w+/) ?? []
  await sessions.decideApproval(approvalId as ApprovalId, { decision: 'allow' }, 'ana')
  await expect.poll(() => lines.at(-1)).toContain('turn finished')
  await sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
  await expect.poll(() => lines.some((line) => line.includes('the disk is full'))).toBe(true)
  expect(lines.join('')).not.toContain('\u001b')
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, '')).slice(0, 4)).toEqual([
    `tester ${sessionId} session started`,
    `tester ${sessionId} waiting for approval: Bash ls \\u001b[2J (quarterdeck sessions approve ${approvalId})`,
    expect.stringMatching(/ turn finished: .*s, \$0 so far$/),
    expect.stringMatching(/ turn failed: the disk is full \(.*\)$/),
  ])
})
