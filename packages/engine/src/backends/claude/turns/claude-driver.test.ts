import { UserMessageId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { collect, ended, find, types } from '../../contract/backend-events.contract.ts'
import { driveFakeCli } from '../testing/fake-cli.fixture.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function drive(reply: string, resume: string | null = null) {
  const { driver, remove } = driveFakeCli(reply, resume)
  cleanups.push(remove, driver.close)
  return driver
}

const obliging = (usage: string) => `
  if (message.type === 'user') { say(result); say(idle) }
  else answer(message, message.request.subtype === 'get_usage' ? ${usage} : {})`

it('reports that a resumed process does not return the earlier usage', async () => {
  const resume = '11111111-1111-4111-8111-111111111111'
  const driver = drive(obliging('{ session: { total_cost_usd: 1, models: {} } }'), resume)
  const events = await collect(driver.turn('go on', null))
  expect(find(events, 'RawBackendMessage').data).toMatchObject({ kind: 'totals_unknown', message: { resume } })
  expect(ended(events).data.outcome).toBe('completed')
  expect(types(await collect(driver.turn('and on', null)))).not.toContain('RawBackendMessage')
})

it('reports nothing when a resumed process returns the earlier usage', async () => {
  const usage = '{ session: { total_cost_usd: 1, total_api_duration_ms: 1, model_usage: {} } }'
  const events = await collect(drive(obliging(usage), '11111111-1111-4111-8111-111111111111').turn('go on', null))
  expect(types(events)).toEqual(['TurnEnded'])
})

it('reports the SDK’s error for a crash without output on stderr', async () => {
  const events = await collect(drive(`process.exit(3)`).turn('hello', null))
  expect(find(events, 'BackendCrashed').data).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('exited with code 3'),
  })
})

const spent = { input_tokens: 50_000, output_tokens: 10 }
const costly = `say({ type: 'assistant', parent_tool_use_id: 'toolu_agent',
  message: { id: 'msg_1', model: 'claude-haiku-4-5', content: [{ type: 'text', text: 'hm' }], usage: ${JSON.stringify(spent)} } })`

describe('a turn that the CLI does not end', () => {
  it('fails when the CLI is idle without a result', async () => {
    const driver = drive(`if (message.type === 'user') { say(running); say(idle) } else answer(message, {})`)
    const events = await collect(driver.turn('hello', null))
    expect(ended(events).data).toMatchObject({
      outcome: 'failed',
      result: { errorReason: 'the agent stopped responding without a result' },
    })
  })

  it.each([
    ['is idle', 'say(idle)'],
    ['is silent', ''],
  ])('ends for lack of budget when a subagent has spent it and the CLI %s', async (_how, last) => {
    const driver = drive(`if (message.type === 'user') { say(running); ${costly}; ${last} } else answer(message, {})`)
    const events = await collect(driver.turn('hello', null))
    expect(find(events, 'UsageRecorded').data.costUsd).toBeGreaterThan(0.01)
    expect(ended(events).data.outcome).toBe('budget_limit')
  })

  it('fails when the CLI does not pick up a message that was added to it', async () => {
    const driver = drive(
      `if (message.type === 'user') { say(running); say(result); say(idle) } else answer(message, {})`,
    )
    const turn = driver.turn('hello', UserMessageId.parse('umsg_prompt'))
    const running = collect(turn)
    expect(await driver.steer?.('and this', UserMessageId.parse('umsg_steered'))).toBe(true)
    const { outcome, result } = ended(await running).data
    expect(outcome).toBe('failed')
    expect(result.errorReason).toContain('was not picked up')
  })
})

it('sends a process another model but not the model it already has', async () => {
  const counting = `if (message.type === 'user') { say(running); say({ ...result, result: String(hear.told ?? 0) }); say(idle) }
    else { if (message.request.subtype === 'set_model') hear.told = (hear.told ?? 0) + 1
      answer(message, {}) }`
  const driver = drive(counting)
  const responseNow = async () => ended(await collect(driver.turn('hello', null))).data.result.response
  expect(await responseNow()).toBe('0')
  await driver.setModel('claude-haiku-4-5')
  expect(await responseNow()).toBe('0')
  await driver.setModel('claude-sonnet-4-6')
  await driver.setModel('claude-sonnet-4-6')
  expect(await responseNow()).toBe('1')
})

describe('a message the CLI has seen in an earlier process', () => {
  it('is sent again under another id', async () => {
    // Like the real one: a known id is reported as completed and never answered.
    const forgetful = `if (message.type !== 'user') answer(message, {})
      else if (hear.seen === undefined) { hear.seen = message.uuid
        say({ type: 'command_lifecycle', command_uuid: message.uuid, state: 'completed' }) }
      else { say(running); say({ ...result, result: String(message.uuid !== hear.seen) }); say(idle) }`
    const events = await collect(drive(forgetful).turn('hello', UserMessageId.parse('umsg_again1')))
    expect(ended(events).data).toMatchObject({ outcome: 'completed', result: { response: 'true' } })
  })
})
