import { afterEach, expect, it } from 'vitest'
import { collect, ended, find, types } from '../backend-events.contract.ts'
import { driveStandIn } from './testing/stand-in-cli.fixture.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function drive(reply: string, resume: string | null = null) {
  const { driver, remove } = driveStandIn(reply, resume)
  cleanups.push(remove, driver.close)
  return driver
}

const obliging = (usage: string) => `
  if (message.type === 'user') { say(result); say(idle) }
  else answer(message, message.request.subtype === 'get_usage' ? ${usage} : {})`

it('says so when a resumed process does not tell what the conversation had used', async () => {
  const resume = '11111111-1111-4111-8111-111111111111'
  const driver = drive(obliging('{ session: { total_cost_usd: 1, models: {} } }'), resume)
  const events = await collect(driver.turn('go on', null))
  expect(find(events, 'RawBackendMessage').data).toMatchObject({ kind: 'totals_unknown', message: { resume } })
  expect(ended(events).data.outcome).toBe('completed')
  expect(types(await collect(driver.turn('and on', null)))).not.toContain('RawBackendMessage')
})

it('has nothing to say about a resumed process that tells it', async () => {
  const usage = '{ session: { total_cost_usd: 1, total_api_duration_ms: 1, model_usage: {} } }'
  const events = await collect(drive(obliging(usage), '11111111-1111-4111-8111-111111111111').turn('go on', null))
  expect(types(events)).toEqual(['TurnEnded'])
})

it('tells the words of the SDK about a crash where the CLI left none', async () => {
  const events = await collect(drive(`process.exit(3)`).turn('hello', null))
  expect(find(events, 'BackendCrashed').data).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('exited with code 3'),
  })
})
