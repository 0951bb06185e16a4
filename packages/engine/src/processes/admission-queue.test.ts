import type { QueuePosition, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createAdmissionQueue } from './admission-queue.ts'

const about = () => ({ agentName: 'tester', title: '' })
const applicant = (name: string) => ({ sessionId: name as SessionId, about })
const never = new AbortController().signal

interface Rules {
  readonly maxResident?: number
  readonly maxRunningTurns?: number
  readonly hasMemory?: () => boolean
}

/** An admission whose processes end when the test says so. */
function openAdmission({ maxResident = 10, maxRunningTurns = 10, hasMemory = () => true }: Rules) {
  const positions = new Map<string, QueuePosition>()
  const resting = new Set<string>()
  const evicted: string[] = []
  const admission = createAdmissionQueue({
    maxResident,
    maxRunningTurns,
    hasMemory,
    queuePositions: {
      show: (sessionId, queuePosition) =>
        void (queuePosition === null ? positions.delete(sessionId) : positions.set(sessionId, queuePosition)),
    },
    evict(mayGo) {
      const victim = [...resting].find((name) => mayGo(name as SessionId))
      if (victim === undefined) return null
      resting.delete(victim)
      evicted.push(victim)
      return victim as SessionId
    },
  })
  const order: string[] = []
  const enter = async (name: string, signal = never) => {
    const slot = await admission.enterTurn(applicant(name), signal)
    if (slot !== null) order.push(name)
    return slot
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const queuePosition = (name: string) => positions.get(name)
  const leave = (name: string) => admission.leaveProcess(name as SessionId)
  return { admission, enter, order, settle, queuePosition, leave, resting, evicted }
}

describe('turns of one agent', () => {
  const of = (name: string, agentName: string, agentLimit: number | null) => ({
    sessionId: name as SessionId,
    agentLimit,
    about: () => ({ agentName, title: '' }),
  })

  it('claude.max_concurrent_sessions: run up to the limit of the file; the next one queues while other agents pass', async () => {
    const { admission, queuePosition, settle } = openAdmission({})
    const first = await admission.enterTurn(of('a', 'coder', 1), never)
    const order: string[] = []
    const waits = async (name: string, agentName: string, limit: number | null) => {
      const turn = await admission.enterTurn(of(name, agentName, limit), never)
      order.push(name)
      return turn
    }
    const second = waits('b', 'coder', 1)
    void waits('c', 'coder', 1)
    await (await waits('d', 'clerk', null))?.leave()
    expect(order).toEqual(['d'])
    expect(queuePosition('b')).toEqual({ reason: 'agent', position: 1, waiting: 2 })
    expect(queuePosition('c')).toEqual({ reason: 'agent', position: 2, waiting: 2 })
    first?.leave()
    expect((await second) === null).toBe(false)
    expect(queuePosition('c')).toEqual({ reason: 'agent', position: 1, waiting: 1 })
    ;(await second)?.leave()
    await settle()
    expect(order).toEqual(['d', 'b', 'c'])
  })

  it('claude.max_concurrent_sessions: a waiting turn yields its slot to the next and gets it back first', async () => {
    const { admission, settle } = openAdmission({})
    const first = await admission.enterTurn(of('a', 'coder', 1), never)
    const second = admission.enterTurn(of('b', 'coder', 1), never)
    const third = admission.enterTurn(of('c', 'coder', 1), never)
    first?.pause()
    const running = await second
    let isBack = false
    void first?.resume().then(() => (isBack = true))
    await settle()
    expect(isBack).toBe(false)
    running?.leave()
    await settle()
    expect(isBack).toBe(true)
    first?.leave()
    expect(await third).not.toBeNull()
  })
})

describe('turns', () => {
  it('counts an admitted turn, whatever its listeners do', async () => {
    const left = new AbortController()
    let isListening = false
    const admission = createAdmissionQueue({
      maxResident: 1,
      maxRunningTurns: 1,
      hasMemory: () => true,
      evict: () => null,
      queuePositions: {
        show(_, queuePosition) {
          if (isListening && queuePosition === null) left.abort()
        },
      },
    })
    const first = await admission.enterTurn(applicant('a'), never)
    const second = admission.enterTurn(applicant('b'), left.signal)
    void admission.enterTurn(applicant('c'), never)
    isListening = true
    first?.leave()
    admission.leaveProcess('a' as SessionId)
    const slot = await second
    expect(left.signal.aborted).toBe(true)
    expect([admission.running(), admission.resident(), admission.waiting()]).toEqual([1, 1, 1])
    slot?.leave()
    admission.leaveProcess('b' as SessionId)
    expect([admission.running(), admission.resident(), admission.waiting()]).toEqual([1, 1, 0])
  })

  it('admits up to the limit and shows the others their queue position', async () => {
    const { enter, order, settle, queuePosition } = openAdmission({ maxRunningTurns: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void enter(name)
    await settle()
    expect(order).toEqual(['a', 'b'])
    expect(queuePosition('c')).toEqual({ reason: 'turn', position: 1, waiting: 2 })
    expect(queuePosition('d')).toEqual({ reason: 'turn', position: 2, waiting: 2 })
  })

  it('admits in first-in, first-out order and moves the others up', async () => {
    const { enter, order, settle, queuePosition } = openAdmission({ maxRunningTurns: 1 })
    const first = await enter('a')
    void enter('b')
    void enter('c')
    first?.leave()
    await settle()
    expect(order).toEqual(['a', 'b'])
    expect(queuePosition('b')).toBeUndefined()
    expect(queuePosition('c')).toMatchObject({ position: 1, waiting: 1 })
  })

  it('removes a session that gives up from the queue', async () => {
    const { enter, order, settle, queuePosition, admission } = openAdmission({ maxRunningTurns: 1 })
    const first = await enter('a')
    const gone = new AbortController()
    const given = enter('b', gone.signal)
    void enter('c')
    gone.abort()
    expect(await given).toBeNull()
    expect(queuePosition('b')).toBeUndefined()
    expect(queuePosition('c')).toMatchObject({ position: 1 })
    first?.leave()
    await settle()
    expect(order).toEqual(['a', 'c'])
    expect(admission.waiting()).toBe(0)
  })

  it('gives away the slot of a turn that waits for an answer, and gives that turn the next slot before all others', async () => {
    const { enter, order, settle, queuePosition } = openAdmission({ maxRunningTurns: 1 })
    const waiting = await enter('a')
    const second = enter('b')
    void enter('c')
    waiting?.pause()
    await settle()
    expect(order).toEqual(['a', 'b'])
    let isOn = false
    void waiting?.resume().then(() => (isOn = true))
    await settle()
    expect(isOn).toBe(false)
    expect(queuePosition('a')).toEqual({ reason: 'turn', position: 1, waiting: 2 })
    ;(await second)?.leave()
    await settle()
    expect(isOn).toBe(true)
    expect(order).toEqual(['a', 'b'])
  })

  it('lets a turn that ends while it waits to return end normally', async () => {
    const { enter, admission } = openAdmission({ maxRunningTurns: 1 })
    const waiting = await enter('a')
    waiting?.pause()
    await enter('b')
    const resumed = waiting?.resume()
    waiting?.leave()
    await resumed
    expect(admission.waiting()).toBe(0)
    expect(admission.running()).toBe(1)
  })
})

describe('processes', () => {
  it('evicts a resting process for a queued session and waits until it is gone', async () => {
    const { enter, order, settle, queuePosition, leave, resting, evicted } = openAdmission({ maxResident: 1 })
    const first = await enter('a')
    void enter('b')
    expect(queuePosition('b')).toEqual({ reason: 'process', position: 1, waiting: 1 })
    resting.add('a')
    first?.leave()
    await settle()
    expect(evicted).toEqual(['a'])
    expect(order).toEqual(['a'])
    leave('a')
    await settle()
    expect(order).toEqual(['a', 'b'])
  })

  it('takes the process of a session further back, so that owning a process gives no priority', async () => {
    const rules = { maxResident: 2, maxRunningTurns: 1 }
    const { enter, order, settle, leave, resting, evicted } = openAdmission(rules)
    ;(await enter('a'))?.leave()
    const running = await enter('c')
    void enter('b')
    resting.add('a')
    void enter('a')
    running?.leave()
    await settle()
    expect(evicted).toEqual(['a'])
    leave('a')
    await settle()
    expect(order).toEqual(['a', 'c', 'b'])
  })

  it('takes no process from a turn that was admitted a moment ago', async () => {
    const { enter, resting, evicted, settle } = openAdmission({ maxResident: 1 })
    ;(await enter('a'))?.leave()
    resting.add('a')
    void enter('a')
    void enter('b')
    await settle()
    expect(evicted).toEqual([])
  })

  it('does not count a process that is being ended', async () => {
    const { admission, enter, order, settle, leave } = openAdmission({})
    ;(await enter('a'))?.leave()
    expect(admission.beginLeaving('a' as SessionId)).toBe(true)
    void enter('a')
    await settle()
    expect(order).toEqual(['a'])
    leave('a')
    await settle()
    expect(order).toEqual(['a', 'a'])
    expect(admission.resident()).toBe(1)
  })

  it('evicts no more processes than needed', async () => {
    const { enter, settle, resting, evicted, leave, order } = openAdmission({ maxResident: 3 })
    for (const name of ['a', 'b', 'c']) {
      const slot = await enter(name)
      slot?.leave()
      resting.add(name)
    }
    void enter('d')
    void enter('e')
    await settle()
    expect(evicted).toEqual(['a', 'b'])
    leave('a')
    leave('b')
    await settle()
    expect(order.slice(3)).toEqual(['d', 'e'])
    expect(resting).toEqual(new Set(['c']))
  })

  it('adds no process while memory is short, except when nothing runs', async () => {
    let isShort = true
    const { enter, order, settle, queuePosition, admission } = openAdmission({ hasMemory: () => !isShort })
    await enter('a')
    void enter('b')
    await settle()
    expect(order).toEqual(['a'])
    expect(queuePosition('b')).toMatchObject({ reason: 'process' })
    isShort = false
    admission.review()
    await settle()
    expect(order).toEqual(['a', 'b'])
  })

  it('gives no free process to a session outside the queue while others are queued', async () => {
    const { enter, admission, resting, leave, settle } = openAdmission({ maxResident: 1 })
    const first = await enter('a')
    expect(await admission.takeProcess('early' as SessionId)).toBe(false)
    first?.leave()
    resting.add('a')
    const taken = admission.takeProcess('early' as SessionId)
    await settle()
    leave('a')
    expect(await taken).toBe(true)
    void enter('b')
    await settle()
    expect(admission.takeFree('late' as SessionId)).toBe(false)
  })
})
