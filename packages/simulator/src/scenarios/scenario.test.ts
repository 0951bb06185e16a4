import { readFileSync } from 'node:fs'
import { formatApprovedCall } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { readConversation } from '../replies/read-conversation.ts'
import { createScenarioResponder } from './create-scenario-responder.ts'
import { loadScenario } from './scenario.ts'

const scenarioText = `
name: two turns
steps:
  - name: greeting
    when: { turn: 1, text: '^hello' }
    then:
      tools: [{ name: Bash, input: { command: ls } }]
  - name: after ls
    when: { tool_result: { name: Bash, pattern: 'cart\\.js', is_error: false } }
    then: { text: I see a cart }
  - name: helper
    when: { subagent: true, system: explorer }
    then: { text: from below }
    times: 2
  - name: the rest
    when: { turn: 2, tools_offered: [Bash] }
    then: { text: bye }
    repeat: true
`

const user = (content: unknown) => ({ role: 'user' as const, content: content as string })
const request = (messages: unknown[], more: object = {}) =>
  readConversation({ model: 'm', max_tokens: 10, messages: messages as [], ...more })

const calledLs = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] }
const listed = (text: string, is_error = false) =>
  user([{ type: 'tool_result', tool_use_id: 't1', content: text, is_error }])

describe('a scenario', () => {
  it('answers with the first step that fits, each as often as it may', () => {
    const respond = createScenarioResponder(loadScenario(scenarioText, 's.yaml'))
    const by = (...given: Parameters<typeof request>) => {
      const answer = respond(request(...given))
      return answer.type === 'reply' ? answer.by : 'unmatched'
    }
    const first = user('hello there')
    expect(by([first])).toBe('greeting')
    expect(by([first])).toBe('unmatched')
    expect(by([first, calledLs, listed('src/cart.js', true)])).toBe('unmatched')
    expect(by([first, calledLs, listed('src/cart.js')])).toBe('after ls')
    const below = { system: 'cc_is_subagent=true; you are the explorer' }
    expect([by([first], below), by([first], below), by([first], below)]).toEqual(['helper', 'helper', 'unmatched'])
    const second = [first, { role: 'assistant', content: 'hi' }, user('and now')]
    expect(by(second)).toBe('unmatched')
    const offered = { tools: [{ name: 'Bash' }] }
    expect([by(second, offered), by(second, offered)]).toEqual(['the rest', 'the rest'])
  })

  it('applies a text pattern to the prompt, not to the tool results after it', () => {
    const respond = createScenarioResponder(
      loadScenario(
        'steps: [{ when: { text: hello }, then: { text: a }, repeat: true }, { then: { text: b } }]',
        's.yaml',
      ),
    )
    expect(respond(request([user('hello')]))).toMatchObject({ by: 'step 1' })
    expect(respond(request([user('hello'), calledLs, listed('x')]))).toMatchObject({ by: 'step 2' })
  })

  it('issues approved calls again after a wake message, exactly or changed', () => {
    const respond = createScenarioResponder(
      loadScenario(
        `steps:
  - when: { wake: true, text: '"ls"' }
    then: { text: again, reissue: exactly }
  - when: { wake: true }
    then: { reissue: { changed: { command: ls -la } } }
  - when: { wake: false }
    then: { text: awake }
`,
        's.yaml',
      ),
    )
    const approved = (command: string) => user(`You were away.\n${formatApprovedCall('Bash', { command, timeout: 5 })}`)
    expect(respond(request([user('hi'), approved('ls')]))).toMatchObject({
      reply: { text: 'again', tools: [{ name: 'Bash', input: { command: 'ls', timeout: 5 } }] },
    })
    expect(respond(request([user('hi'), approved('pwd')]))).toMatchObject({
      reply: { tools: [{ name: 'Bash', input: { command: 'ls -la', timeout: 5 } }] },
    })
    expect(respond(request([user('hi')]))).toMatchObject({ reply: { text: 'awake' } })
  })

  it('counts the calls since the prompt, so that two steps serve any number of subagents', () => {
    const respond = createScenarioResponder(
      loadScenario(
        'steps: [{ when: { calls: 0 }, then: { text: first }, repeat: true }, { when: { calls: 1 }, then: { text: second }, repeat: true }]',
        's.yaml',
      ),
    )
    const answerTo = (...messages: unknown[]) => respond(request(messages))
    expect(answerTo(user('hello'))).toMatchObject({ reply: { text: 'first' } })
    expect(answerTo(user('hello'), calledLs, listed('x'))).toMatchObject({ reply: { text: 'second' } })
    expect(
      answerTo(user('hello'), calledLs, listed('x'), { role: 'assistant', content: 'ok' }, user('more')),
    ).toMatchObject({ reply: { text: 'first' } })
  })

  it('prints the request when no step fits', () => {
    const respond = createScenarioResponder(
      loadScenario('name: tiny\nsteps: [{ when: { turn: 9 }, then: {} }]', 's.yaml'),
    )
    const answer = respond(request([user('hello'), calledLs, listed('boom', true)], { tools: [{ name: 'Bash' }] }))
    expect(answer).toMatchObject({ type: 'unmatched' })
    const message = answer.type === 'unmatched' ? answer.message : ''
    for (const part of ['"tiny"', 'turn: 1', '"hello"', 'Bash (error): "boom"', 'tools offered: 1']) {
      expect(message).toContain(part)
    }
  })

  it('refuses a file with every problem at once, each with line and path', () => {
    const load = () =>
      loadScenario(
        `steps:
  - when: { text: '(' }
    then: { txt: hi }
  - then: { fault: { type: earthquake } }
    times: 0
`,
        'bad.yaml',
      )
    expect(load).toThrow(/bad\.yaml:2: steps\[0\]\.when\.text: is not a regular expression/)
    expect(load).toThrow(/bad\.yaml:3: steps\[0\]\.then: Unrecognized key: "txt"/)
    expect(load).toThrow(/bad\.yaml:4: steps\[1\]\.then\.fault/)
    expect(load).toThrow(/bad\.yaml:5: steps\[1\]\.times/)
    expect(() => loadScenario('steps: [', 'broken.yaml')).toThrow(/broken\.yaml:1/)
    expect(() => loadScenario('steps: [{ then: {}, times: 2, repeat: true }]', 'b.yaml')).toThrow(
      /both times and repeat/,
    )
  })

  it('matches the example in the documentation', () => {
    const guide = readFileSync(new URL('../../../../docs/reference/simulator.md', import.meta.url), 'utf8')
    const scenarios = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
    expect(scenarios.length).toBeGreaterThan(1)
    for (const text of scenarios) expect(loadScenario(text, 'simulator.md').steps.length).toBeGreaterThan(1)
  })
})
