import type { Engine } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { openAgent } from '../connect/open-agent.ts'
import { bash, type Script, say, scripted, writeAgent } from '../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import type { TerminalAsker } from './terminal-asker.ts'
import { type Watching, watchTurn } from './watch-turn.ts'

const never = new AbortController().signal

/** A turn in a real runtime, followed from its first event. */
async function watchScript(script: Script, change: (engine: Engine) => Partial<Watching>) {
  const { terminal } = await openTestTerminal()
  const openOptions = { path: await writeAgent(terminal.cwd), flags: {}, canAsk: true }
  const { runtime, agentName } = await openAgent(terminal, openOptions, scripted(script))
  onTestFinished(() => runtime.close())
  const { engine } = runtime
  const { sessionId } = await engine.sessions.createSession({ agent: agentName, mode: 'task', message: 'go' }, 'ada')
  const watching = { engine, sessionId, after: 0, onEvent: () => undefined, asker: null, by: 'ada', signal: never }
  return watchTurn({ ...watching, ...change(engine) })
}

/** Answers with each decision in turn, and records the requests and messages. */
function answering(...decisions: readonly Awaited<ReturnType<TerminalAsker['askApproval']>>[]) {
  const shown: string[] = []
  const left = [...decisions]
  const asker: TerminalAsker = {
    async askApproval({ toolInput }) {
      shown.push(JSON.stringify(toolInput))
      return left.shift() ?? null
    },
    askQuestion: async () => null,
    showProblem: (problem) => void shown.push(problem),
  }
  return { asker, shown }
}

/** The engine with a log that refuses every decision. */
const refusing = (engine: Engine, error: QuarterdeckError): Engine => ({
  ...engine,
  sessions: { ...engine.sessions, decideApproval: () => Promise.reject(error) },
})

const twoAtOnce: Script = [[{ type: 'parallel', tools: [bash('ls'), bash('rm x')] }, say('done')]]

it('fails with the reason when a decision cannot be written, and asks no more', async () => {
  const { asker, shown } = answering({ decision: 'allow' }, { decision: 'allow' })
  const full = new QuarterdeckError('store.unavailable', 'the disk is full')
  const watched = watchScript(twoAtOnce, (engine) => ({ asker, engine: refusing(engine, full) }))
  await expect(watched).rejects.toBe(full)
  expect(shown).toEqual(['{"command":"ls"}'])
})

it('asks again with the reason when an edited input does not fit the call', async () => {
  const { asker, shown } = answering({ decision: 'allow', input: { command: '' } }, { decision: 'deny' })
  const { ended } = await watchScript([[bash('rm x'), say('done')]], () => ({ asker }))
  expect(ended?.data.outcome).toBe('completed')
  expect(shown).toEqual(['{"command":"rm x"}', expect.stringContaining('input.command'), '{"command":"rm x"}'])
})

it.each(['approval.already-decided', 'session.busy'] as const)(
  'continues with the next question after %s',
  async (code) => {
    const { asker, shown } = answering({ decision: 'allow' }, { decision: 'allow' })
    const leaving = new AbortController()
    const watched = watchScript(twoAtOnce, (engine) => ({
      asker,
      engine: refusing(engine, new QuarterdeckError(code, 'too late')),
      signal: leaving.signal,
    }))
    await expect.poll(() => shown).toHaveLength(2)
    leaving.abort()
    expect((await watched).ended).toBeNull()
  },
)

it('respects a signal that was aborted before it began', async () => {
  const { ended } = await watchScript([[{ type: 'stall', chunks: ['Once'] }]], () => ({ signal: AbortSignal.abort() }))
  expect(ended).toBeNull()
})
