// A CLI that does not respond because it is stopped or held by a debugger. It cannot be interrupted, but it can be
// killed.
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { descendantsOf, identify, isRunning } from '../../../system/linux-processes.ts'
import { collect, ended, find, types } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
const patient = { timeout: 60_000, interval: 20 }

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** An agent that has answered the first prompt and is running a command for the second. */
async function stoppedInTheMiddle(interruptTimeoutMs: number) {
  const command = `sleep 1000.${process.pid}`
  const harness = await openClaudeHarness({
    interruptTimeoutMs,
    steps: [
      { when: { text: 'hello' }, then: { text: 'hi' } },
      { when: { text: 'begin' }, then: { text: 'I wait', tools: [{ name: 'Bash', input: { command } }] } },
      { when: { text: 'go on' }, then: { text: 'still here' } },
    ],
  })
  cleanups.push(harness.close)
  const session = await harness.backend.createSession(harness.options())
  const before = await collect(session.run('hello', never))
  const turn = collect(session.run('begin', never))
  await vi.waitUntil(() => treeOf(harness).some(({ pid }) => isSleeping(pid)), patient)
  const tree = treeOf(harness)
  for (const { pid } of tree) process.kill(pid, 'SIGSTOP')
  return { harness, session, turn, tree, conversation: find(before, 'AgentSessionStarted').data.backendSessionId }
}

function isSleeping(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\0')
  } catch {
    // The process has exited.
    return false
  }
}

/** The sandbox wrapper, the CLI and its shells. */
const treeOf = (harness: ClaudeHarness) => harness.pids().flatMap((pid) => [identify(pid), ...descendantsOf(pid)])

describe('a CLI that is stopped during a turn', () => {
  it('is killed when it does not respond to an interrupt, and the next turn runs in a new process', async () => {
    const { harness, session, turn, tree, conversation } = await stoppedInTheMiddle(500)
    await session.interrupt()
    const events = await turn
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(types(events)).not.toContain('BackendCrashed')
    expect(tree.filter(isRunning)).toEqual([])
    const after = await collect(session.run('go on', never))
    expect(ended(after).data).toMatchObject({ outcome: 'completed', result: { response: 'still here' } })
    expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(conversation)
    expect(harness.pids()).toHaveLength(1)
  })

  it('does not keep its session from closing', async () => {
    const { harness, session, turn, tree } = await stoppedInTheMiddle(500)
    await session.close()
    expect(ended(await turn).data.outcome).toBe('interrupted')
    expect(tree.filter(isRunning)).toEqual([])
    expect(harness.pids()).toEqual([])
  })

  it('does not keep its backend from being torn down', async () => {
    const { harness, turn, tree } = await stoppedInTheMiddle(500)
    await harness.backend.teardown()
    expect(ended(await turn).data.outcome).toBe('interrupted')
    expect(tree.filter(isRunning)).toEqual([])
  })
})

describe('a CLI that is stopped while idle', () => {
  it('does not keep its session from closing', async () => {
    const harness = await openClaudeHarness({ steps: [{ then: { text: 'hi' } }] })
    cleanups.push(harness.close)
    const session = await harness.backend.createSession(harness.options())
    await collect(session.run('hello', never))
    const tree = treeOf(harness)
    for (const { pid } of tree) process.kill(pid, 'SIGSTOP')
    await session.close()
    expect(tree.filter(isRunning)).toEqual([])
  })

  it('lets a signal interrupt the next turn', async () => {
    const harness = await openClaudeHarness({
      interruptTimeoutMs: 300,
      steps: [{ repeat: true, then: { text: 'hi' } }],
    })
    cleanups.push(harness.close)
    const session = await harness.backend.createSession(harness.options())
    await collect(session.run('hello', never))
    for (const { pid } of treeOf(harness)) process.kill(pid, 'SIGSTOP')
    const stop = new AbortController()
    const turn = collect(session.run('begin', stop.signal))
    setTimeout(() => stop.abort(), 200)
    const events = await turn
    expect(types(events)).not.toContain('BackendCrashed')
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(await collect(session.run('again', never))).data.outcome).toBe('completed')
  })
})
