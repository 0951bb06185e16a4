// Images on the real CLI: in the prompt, and after another process resumes the conversation.
import { afterEach, expect, it } from 'vitest'
import type { AgentSession, TurnInput } from '../../backend.ts'
import { collect, ended, find } from '../../contract/backend-events.contract.ts'
import { type ClaudeHarness, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
let harness: ClaudeHarness | null = null
afterEach(() => harness?.close())

/** A red square. */
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4oaGBFTEMLQkAgl1GARdiiXUAAAAASUVORK5CYII='
const image = { mediaType: 'image/png', data } as const
const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }

const run = (session: AgentSession, input: TurnInput) => collect(session.run(input, never))

it('sends images before the text and keeps them when another process resumes the conversation', async () => {
  harness = await openClaudeHarness({
    steps: [{ when: { turn: 1 }, then: { text: 'red' } }, { then: { text: 'still red' } }],
  })
  const first = await harness.backend.createSession(harness.options())
  const before = await run(first, { text: 'Which colour?', images: [image, image] })
  expect(ended(before).data).toMatchObject({ outcome: 'completed', result: { response: 'red' } })
  const [asked] = harness.requests()
  const blocks = asked?.messages.flatMap(contentOf) ?? []
  const kinds = blocks
    .filter(({ type, text }) => type === 'image' || text?.trim() === 'Which colour?')
    .map(({ type }) => type)
  expect(kinds).toEqual(['image', 'image', 'text'])
  expect(blocks.find(({ type }) => type === 'image')).toMatchObject(block)

  await first.close()
  const resume = find(before, 'AgentSessionStarted').data.backendSessionId
  await run(await harness.backend.createSession(harness.options({ resume })), 'Are you sure?')
  expect(
    harness
      .requests()
      .at(-1)
      ?.messages.flatMap(contentOf)
      .filter(({ type }) => type === 'image'),
  ).toHaveLength(2)
})

function contentOf(message: unknown): readonly { readonly type?: string; readonly text?: string }[] {
  const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : []
  return Array.isArray(content) ? content : []
}
