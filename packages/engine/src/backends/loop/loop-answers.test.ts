// Unusual answers: repeated ids, refusals, and results of a process that died.
import { copyFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collect, ended } from '../contract/backend-events.contract.ts'
import { never } from '../contract/backend-harness.contract.ts'
import { openHarness, openLoop, wires } from './testing/loop-harness.fixture.ts'
import { says, toolboxOf } from './testing/toolbox.fixture.ts'

const say = (text: string) => ({ then: { text } })

describe.each(wires)('a conversation on the %s wire', (wire) => {
  it('keeps the results of calls that had finished when the process died during others', async () => {
    const hostTools = toolboxOf({
      mcp__tools__slow: () => new Promise<never>(() => undefined),
      mcp__tools__quick: says('the quick result'),
    })
    const tools = ['slow', 'quick', 'quick'].map((name) => ({ name: `mcp__tools__${name}`, input: {} }))
    const { harness, session } = await openLoop({ wire, steps: [{ then: { tools } }, say('second')] }, { hostTools })
    let resume = ''
    let executed = 0
    for await (const event of session.run('go', never)) {
      if (event.type === 'AgentSessionStarted') resume = event.data.backendSessionId
      if (event.type !== 'ToolExecuted' || ++executed !== 2) continue
      // The state that a process killed at this moment leaves behind.
      const file = join(harness.dataDir, 'loop', 'ses_looptest', `${resume}.jsonl`)
      copyFileSync(file, file.replace(resume, 'killed'))
      await session.interrupt()
    }
    const again = await harness.restart().createSession(harness.options({ resume: 'killed' }))
    expect((await again.send('and?')).response).toBe('second')
    const messages = JSON.stringify(harness.requests().at(-1)?.messages)
    expect(messages.split('the quick result')).toHaveLength(3)
    expect(messages.split('whether it had its effect is unknown')).toHaveLength(2)
    expect(messages.indexOf('is unknown')).toBeLessThan(messages.indexOf('the quick result'))
  })
})

describe('a server that is almost compatible with OpenAI', () => {
  /** A session with a model that gives these answers in order. */
  async function openWith(answers: object[]) {
    const server = createServer((incoming, outgoing) => {
      const chunk = { id: 'c', model: 'm', choices: [{ index: 0, delta: answers.shift(), finish_reason: 'stop' }] }
      const stream = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`
      incoming.resume().once('end', () => outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const harness = await openHarness({ wire: 'openai', steps: [say('nobody asks')] })
    const { modelAccess } = harness.options()
    if (modelAccess.type !== 'in-process') throw new Error('the loop asks by itself')
    const hostTools = toolboxOf({ mcp__tools__look: says('seen') })
    return harness.backend.createSession(harness.options({ hostTools, modelAccess: { ...modelAccess, baseUrl } }))
  }

  it('can repeat call ids within an answer and across answers', async () => {
    const call = (index: number) => ({ index, id: 'call_0', function: { name: 'mcp__tools__look', arguments: '{}' } })
    const session = await openWith([{ tool_calls: [call(0), call(1)] }, { tool_calls: [call(0)] }, { content: 'done' }])
    const events = await collect(session.run('go', never))
    expect(ended(events).data.result.response).toBe('done')
    const idsOf = (type: 'AgentInvokedTool' | 'ToolExecuted') =>
      events.flatMap((event) => (event.type === type ? [event.data.toolUseId] : []))
    expect(new Set(idsOf('AgentInvokedTool')).size).toBe(3)
    expect(idsOf('ToolExecuted').toSorted()).toEqual(idsOf('AgentInvokedTool').toSorted())
  })

  it('fails the turn with the model’s own text when it refuses to answer', async () => {
    const session = await openWith([{ refusal: 'That would be wrong.' }])
    const result = await session.send('go')
    expect(result).toMatchObject({ isError: true, errorReason: 'the model refused to answer: That would be wrong.' })
  })
})
