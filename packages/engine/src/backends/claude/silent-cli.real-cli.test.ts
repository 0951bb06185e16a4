// A CLI that says nothing any more: stopped, or held by a debugger. It cannot be asked, but it can be ended.
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { descendantsOf, identify, isRunning } from '../../linux-processes.ts'
import { collect, ended, find, types } from '../backend-events.contract.ts'
import { type ClaudeWorld, openClaudeWorld } from './testing/claude-world.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
const patient = { timeout: 60_000, interval: 20 }

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** An agent that answers the first prompt and is in the middle of a command with the second. */
async function stoppedInTheMiddle(interruptPatienceMs: number) {
  const command = `sleep 1000.${process.pid}`
  const world = await openClaudeWorld({
    interruptPatienceMs,
    steps: [
      { when: { text: 'hello' }, then: { text: 'hi' } },
      { when: { text: 'begin' }, then: { text: 'I wait', tools: [{ name: 'Bash', input: { command } }] } },
      { when: { text: 'go on' }, then: { text: 'still here' } },
    ],
  })
  cleanups.push(world.close)
  const session = await world.backend.createSession(world.options())
  const before = await collect(session.run('hello', never))
  const turn = collect(session.run('begin', never))
  await vi.waitUntil(() => treeOf(world).some(({ pid }) => isSleeping(pid)), patient)
  const tree = treeOf(world)
  for (const { pid } of tree) process.kill(pid, 'SIGSTOP')
  return { world, session, turn, tree, conversation: find(before, 'AgentSessionStarted').data.backendSessionId }
}

function isSleeping(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\0')
  } catch {
    // Gone meanwhile.
    return false
  }
}

/** The wrapper, the CLI and its shells. */
const treeOf = (world: ClaudeWorld) => world.pids().flatMap((pid) => [identify(pid), ...descendantsOf(pid)])

describe('a CLI that was stopped in the middle of a turn', () => {
  it('is killed when an interrupt finds no answer, and the next turn goes on in a new process', async () => {
    const { world, session, turn, tree, conversation } = await stoppedInTheMiddle(500)
    await session.interrupt()
    const events = await turn
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(types(events)).not.toContain('BackendCrashed')
    expect(tree.filter(isRunning)).toEqual([])
    const after = await collect(session.run('go on', never))
    expect(ended(after).data).toMatchObject({ outcome: 'completed', result: { response: 'still here' } })
    expect(find(after, 'AgentSessionStarted').data.backendSessionId).toBe(conversation)
    expect(world.pids()).toHaveLength(1)
  })

  it('does not keep its session from closing', async () => {
    const { world, session, turn, tree } = await stoppedInTheMiddle(500)
    await session.close()
    expect(ended(await turn).data.outcome).toBe('interrupted')
    expect(tree.filter(isRunning)).toEqual([])
    expect(world.pids()).toEqual([])
  })

  it('does not keep its backend from being torn down', async () => {
    const { world, turn, tree } = await stoppedInTheMiddle(500)
    await world.backend.teardown()
    expect(ended(await turn).data.outcome).toBe('interrupted')
    expect(tree.filter(isRunning)).toEqual([])
  })
})

describe('a CLI that was stopped at rest', () => {
  it('does not keep its session from closing', async () => {
    const world = await openClaudeWorld({ steps: [{ then: { text: 'hi' } }] })
    cleanups.push(world.close)
    const session = await world.backend.createSession(world.options())
    await collect(session.run('hello', never))
    const tree = treeOf(world)
    for (const { pid } of tree) process.kill(pid, 'SIGSTOP')
    await session.close()
    expect(tree.filter(isRunning)).toEqual([])
  })

  it('lets the next turn be interrupted by its signal', async () => {
    const world = await openClaudeWorld({ interruptPatienceMs: 300, steps: [{ repeat: true, then: { text: 'hi' } }] })
    cleanups.push(world.close)
    const session = await world.backend.createSession(world.options())
    await collect(session.run('hello', never))
    for (const { pid } of treeOf(world)) process.kill(pid, 'SIGSTOP')
    const stop = new AbortController()
    const turn = collect(session.run('begin', stop.signal))
    setTimeout(() => stop.abort(), 200)
    const events = await turn
    expect(types(events)).not.toContain('BackendCrashed')
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(await collect(session.run('again', never))).data.outcome).toBe('completed')
  })
})
