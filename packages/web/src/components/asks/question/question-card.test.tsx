import { foldSession, type OpenQuestion } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { logOf } from '../../../stores/testing/logged-event.fixture.ts'
import { questionAsked, sessionCreated } from '../../../stores/testing/sample-events.fixture.ts'
import { QuestionCard } from './question-card.tsx'

const asked = foldSession(null, logOf(sessionCreated, questionAsked))?.questions[0]
if (asked === undefined) throw new Error('the fold made no question')

const shown = (change: Partial<OpenQuestion>) =>
  renderToStaticMarkup(
    <QuestionCard question={{ ...asked, ...change }} who="coder" submission={undefined} onAnswer={() => undefined} />,
  )
const fromServer: Partial<OpenQuestion> = { source: 'mcp', server: 'tickets', toolUseId: null, items: [] }

it('shows the options of each question with their descriptions, and a field for another answer', () => {
  const text = shown({})
  expect(text).toContain('Which colour?')
  expect(text.match(/type="radio"/g)).toHaveLength(3)
  expect(text).toContain('warm')
  expect(text).toContain('Something else')
})

it('shows markup, hidden characters and direction overrides as plain text', () => {
  const hostile = '<img src=x onerror=alert(1)>\u202egnp'
  const option = { label: hostile, description: hostile }
  const item = { question: hostile, header: hostile, options: [option], multiSelect: true }
  const schema = { properties: { [hostile]: { type: 'string', title: hostile, description: hostile } } }
  for (const text of [shown({ items: [item] }), shown({ ...fromServer, message: hostile, schema })]) {
    expect(text).not.toContain('<img')
    expect(text).not.toContain('\u202e')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;\\u202egnp')
  }
})

it('shows a form field for every kind of plain value', () => {
  const schema = {
    properties: {
      name: { type: 'string' },
      count: { type: 'integer' },
      urgent: { type: 'boolean' },
      size: { type: 'string', enum: ['S', 'M'] },
    },
    required: ['name'],
  }
  const text = shown({ ...fromServer, message: 'Fill this in', schema })
  expect(text).toContain('Fill this in')
  expect(text.match(/<input/g)).toHaveLength(5)
  expect(text).toContain('count (optional)')
})

it('shows a URL in full with a link that names its host, and makes no link of other schemes', () => {
  const web = shown({ ...fromServer, url: 'https://login.example@evil.example/a' })
  expect(web).toContain('https://login.example@evil.example/a')
  expect(web).toContain('Open evil.example in a new tab')
  expect(web).toContain('rel="noopener noreferrer"')
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'nonsense']) {
    const text = shown({ ...fromServer, url })
    expect(text).not.toContain('<a ')
    expect(text).toContain('cannot be opened from here')
  }
})
