// Files that one session leaves on disk cannot be read or run by another session.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionId } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { probeIsolation } from '../../../isolation/probe-isolation.ts'
import { collect, ended, find } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] })

async function openWithCommands(first: string, second: string): Promise<ClaudeHarness> {
  const harness = await openClaudeHarness({
    steps: [
      { when: { text: 'first session' }, then: bash(first) },
      { when: { text: 'second session' }, then: bash(second) },
      { repeat: true, then: { text: 'done' } },
    ],
  })
  cleanups.push(harness.close)
  return harness
}

async function run(harness: ClaudeHarness, prompt: string, resume: string | null = null) {
  const sessionId = SessionId.parse(`ses_${prompt.split(' ')[0]}one`)
  const session = await harness.backend.createSession(harness.options({ sessionId, resume }))
  const events = await collect(session.run(prompt, never))
  await session.close()
  return events
}

it('files in the home of one session do not reach the shell of another', async () => {
  const poison = 'for f in .bashrc .profile .bash_profile; do echo "echo poisoned; export POISON=yes" > ~/$f; done'
  const harness = await openWithCommands(poison, "bash -ic 'echo is: $POISON'; bash -lc 'echo is: $POISON'; ls -A ~")
  await run(harness, 'first session')
  const { output } = find(await run(harness, 'second session'), 'ToolExecuted').data
  expect(output).toContain('is:')
  expect(output).not.toMatch(/poisoned|yes|bashrc/)
})

it('a session cannot read the transcript of another, which can continue with its own', async (context) => {
  const { hidesFiles, why } = await probeIsolation()
  if (!hidesFiles) context.skip(why ?? 'files cannot be hidden here')
  const harness = await openWithCommands(
    'echo the canary',
    'echo begin; find ../data/claude/ses_firstone; ls ../data/claude',
  )
  const before = await run(harness, 'first session')
  const { output } = find(await run(harness, 'second session'), 'ToolExecuted').data
  expect(output).toContain('begin')
  expect(output).toContain('ses_secondone')
  expect(output).not.toContain('.jsonl')
  expect(output.split('\n')).not.toContain('ses_firstone')
  const resume = find(before, 'AgentSessionStarted').data.backendSessionId
  const after = await run(harness, 'first again', resume)
  expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
  expect(ended(after).data.outcome).toBe('completed')
})

it('a link in place of the settings does not redirect the server to another file', async () => {
  const harness = await openWithCommands('rm "$CLAUDE_CONFIG_DIR/settings.json"', 'true')
  await run(harness, 'first session')
  const token = join(harness.dataDir, 'token')
  writeFileSync(token, 'the token')
  symlinkSync(token, join(harness.dataDir, 'claude', 'ses_firstone', 'config', 'settings.json'))
  expect(ended(await run(harness, 'first again')).data.outcome).toBe('completed')
  expect(readFileSync(token, 'utf8')).toBe('the token')
})
