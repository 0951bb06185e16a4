import { QuarterdeckError } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../app/app.fixture.ts'

let opened: TestApp | undefined
afterEach(() => opened?.close())

async function open() {
  let at = Date.now()
  let failure: Error | null = null
  let checks = 0
  const testApp = await openTestApp([], {
    now: () => at,
    async checkStore() {
      checks += 1
      if (failure !== null) throw failure
    },
  })
  opened = testApp
  const fail = (error: Error | null) => {
    failure = error
    at += 1000
  }
  const ready = async () => {
    const response = await testApp.request('/ready')
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { testApp, fail, ready, checks: () => checks }
}

const full = () => new QuarterdeckError('store.unavailable', 'the data folder /secret/place cannot be written')

describe('readiness', () => {
  it('ends while the store cannot be written, and returns afterwards', async () => {
    const { fail, ready, testApp } = await open()
    expect((await ready()).status).toBe(200)
    fail(full())
    const refused = await ready()
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'store.unavailable' })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await testApp.request('/health')).status).toBe(200)
    fail(null)
    expect((await ready()).status).toBe(200)
  })

  it('hides details of the folder from the public, and logs them', async () => {
    const { fail, ready, testApp } = await open()
    fail(full())
    expect((await ready()).text).not.toContain('secret')
    const errors = testApp.logged.filter(({ level }) => level === 'error')
    expect(errors.map(({ facts }) => facts)).toContainEqual({ error: full() })
  })

  it('logs one line when it ends and one when it returns, however often it is requested', async () => {
    const { fail, ready, testApp } = await open()
    const lines = () => testApp.logged.filter(({ level }) => level !== 'debug').map(({ level }) => level)
    for (const failure of [full(), full(), new Error('not even expected')]) {
      fail(failure)
      const answers = await Promise.all(Array.from({ length: 50 }, ready))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    }
    expect(lines()).toEqual(['error'])
    fail(null)
    await Promise.all(Array.from({ length: 50 }, ready))
    expect(lines()).toEqual(['error', 'info'])
    fail(full())
    await ready()
    expect(lines()).toEqual(['error', 'info', 'error'])
  })

  it('checks the disk at most once a second, however often it is requested', async () => {
    const { fail, ready, checks } = await open()
    await Promise.all(Array.from({ length: 50 }, ready))
    expect(checks()).toBe(1)
    fail(null)
    await Promise.all(Array.from({ length: 50 }, ready))
    expect(checks()).toBe(2)
  })

  it('checks the real store', async () => {
    const testApp = await openTestApp()
    opened = testApp
    expect((await testApp.request('/ready')).status).toBe(200)
  })
})
