import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConversation } from '../replies/read-conversation.ts'
import { respondAsDemo } from './respond-as-demo.ts'
import { fillSchema } from './tool-input/fill-schema.ts'

const Table = z.strictObject({
  tools: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      properties: z.record(z.string(), z.unknown()),
      required: z.array(z.string()),
    }),
  ),
  agents: z.array(
    z.strictObject({
      offers: z.array(z.string()),
      asked: z.array(
        z.strictObject({
          prompt: z.string(),
          calls: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
})
const fixture = readFileSync(new URL('./tools-of-agents.fixture.yaml', import.meta.url), 'utf8')
const { tools, agents } = Table.parse(parse(fixture))
const cases = agents.flatMap(({ offers, asked }) => asked.map((one) => ({ offers, calls: 'nothing', ...one })))

function toolParam(name: string) {
  const { description, ...schema } = tools[name] ?? { description: '', properties: {}, required: [] }
  return { name, description, input_schema: { type: 'object', ...schema } }
}

function answer(prompt: string, offers: readonly string[], result?: string) {
  const called = { type: 'tool_use', id: 'a', name: offers[0] ?? '', input: { query: 'x' } }
  const brought = { type: 'tool_result', tool_use_id: 'a', content: result ?? '' }
  const given = respondAsDemo(
    readConversation({
      model: 'm',
      max_tokens: 999,
      tools: offers.map(toolParam),
      messages: [
        { role: 'user', content: prompt },
        ...(result === undefined
          ? []
          : [
              { role: 'assistant' as const, content: [called] },
              { role: 'user' as const, content: [brought] },
            ]),
      ],
    }),
  )
  if (given.type !== 'reply') throw new Error(given.message)
  return given.reply
}

describe('the demo with tools of an agent file', () => {
  it.each(cases)('calls $calls for: $prompt', ({ prompt, offers, calls, with: input }) => {
    const called = answer(prompt, offers).tools ?? []
    expect(called.map(({ name }) => name)).toEqual(calls === 'nothing' ? [] : [calls])
    expect(called[0]?.input ?? {}).toMatchObject(input ?? {})
  })

  it('answers from the first passage of a search, with its source', () => {
    const found =
      '[1] handbook/returns.md › Returns (line 3), score 0.83\nYou have 30 days.\nUnused only.\n\n[2] handbook/x.md, score 0.10\nOther.'
    const { text } = answer('How long?', ['mcp__tools__handbook_search'], found)
    expect(text).toContain('handbook/returns.md › Returns (line 3)')
    expect(text).toContain('> You have 30 days.\n> Unused only.')
    expect(text).not.toContain('Other.')
    expect(answer('How long?', ['mcp__tools__handbook_search'], 'Nothing in handbook fits "x".').text).toBe(
      'handbook_search returned: Nothing in handbook fits "x".',
    )
  })
})

describe('the starters of the examples', () => {
  const folder = new URL('../../../../examples/', import.meta.url)
  const File = z.looseObject({ starters: z.array(z.string()).default([]), response_format: z.string().optional() })
  const starters = readdirSync(folder).flatMap((name) => {
    const file = new URL(`${name}/agent.yaml`, folder)
    if (!existsSync(file)) return []
    const agent = File.parse(parse(readFileSync(file, 'utf8')))
    const isCoder = name === 'coder'
    const known = agents.find(({ asked }) => asked.some(({ prompt }) => agent.starters.includes(prompt)))
    const offers = isCoder ? ['Bash', 'Read', 'Edit', 'Glob', 'Grep', 'Agent'] : name === 'hello' ? [] : known?.offers
    return agent.starters.map((starter) => ({ name, starter, offers, format: agent.response_format }))
  })

  it.each(starters)('get an answer, in $name: $starter', ({ starter, offers = [], format }) => {
    const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
    const given = respondAsDemo(
      readConversation({
        model: 'm',
        max_tokens: 999,
        messages: [{ role: 'user', content: starter }],
        tools: offers.map(toolParam),
        ...(format === undefined ? {} : { output_config: { format: { type: 'json_schema', schema } } }),
      }),
    )
    const reply = given.type === 'reply' ? given.reply : {}
    expect(JSON.stringify(reply)).not.toContain('I cannot')
    expect(reply.text ?? reply.structured ?? reply.tools).toBeTruthy()
  })
})

describe('a result that counts and lists', () => {
  const tool = 'mcp__netbox__netbox_get_objects'
  const page = (count: number, results: readonly object[]) => JSON.stringify({ source: 'made up', count, results })
  const two = [
    { id: 1, name: 'Oslo' },
    { id: 2, display: 'Genoa (2)' },
  ]

  it.each([24, 7])('is answered with its number: %d', (count) => {
    expect(answer('How many sites are there?', [tool], page(count, two)).text).toBe(
      `There are ${count} sites (made up).`,
    )
  })

  it('names the counted objects if the question had conditions that were not passed on', () => {
    const { text } = answer('How many sites are there in Europe?', [tool], page(24, two))
    expect(text).toBe('netbox_get_objects counts 24 for {"query":"x"} (made up).')
  })

  it('is shown as a list if one was requested, with the number of omitted items', () => {
    const { text } = answer('List the sites.', [tool], page(24, two))
    expect(text).toBe('netbox_get_objects found 24 (made up):\n\n- Oslo\n- Genoa (2)\n\n(22 more)')
  })

  it('is shown unchanged if it is not a list', () => {
    expect(answer('How many sites are there?', [tool], '{"count":"a few"}').text).toContain('returned: {"count"')
  })
})

describe('an answer with a schema', () => {
  const source = {
    prompt: 'Invoice HP-2041 of Harbour Paper, 3 May 2025: 20 reams of paper, 118.40 EUR, within 14 days.',
  }
  const text = { type: 'string' as const }
  const object = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...more,
  })

  it('takes its values from the message', () => {
    const schema = object({
      vendor: text,
      number: text,
      date: { type: 'string', format: 'date' },
      total: { type: 'number', minimum: 0 },
      currency: { type: 'string', enum: ['USD', 'EUR'] },
      items: { type: 'array', items: object({ description: text }) },
      summary: text,
    })
    expect(fillSchema(schema, { ...source, answer: 'I read it.' })).toEqual({
      vendor: 'Harbour Paper',
      number: 'HP-2041',
      date: '2025-05-03',
      total: 118.4,
      currency: 'EUR',
      items: [],
      summary: 'I read it.',
    })
  })

  it('respects references, alternatives, bounds and lists', () => {
    const schema = object(
      {
        kind: { $ref: '#/$defs/kind' },
        either: { anyOf: [{ type: 'null' }, text] },
        both: { allOf: [object({ a: text }), object({ b: { type: 'integer', maximum: 5 } })] },
        tags: { type: 'array', minItems: 2, items: { type: 'string', maxLength: 4 } },
        maybe: { type: ['null', 'boolean'] },
      },
      { $defs: { kind: { const: 'invoice' } } },
    )
    expect(fillSchema(schema, { ...source, answer: 'I read it.' })).toEqual({
      kind: 'invoice',
      either: null,
      both: { a: 'I read it.', b: 3 },
      tags: ['I re', 'I re'],
      maybe: false,
    })
    const endless = { $ref: '#' }
    expect(() => fillSchema(object({ again: endless }), { ...source, answer: '' })).not.toThrow()
  })

  const weather = object({
    city: text,
    temperature: { type: 'number' },
    unit: { enum: ['celsius', 'fahrenheit'] },
    isRaining: { type: 'boolean' },
  })
  const person = object({ name: text, age: { type: 'integer' }, city: text })
  const review = object({
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    stars: { type: 'integer', minimum: 1, maximum: 5 },
    sentiment: { enum: ['positive', 'neutral', 'negative'] },
  })
  const order = object({
    quantity: { type: 'integer' },
    days: { type: 'integer' },
    colour: text,
    express: { type: 'boolean' },
  })

  it.each([
    ['In Oslo it is 8 degrees', weather, { city: 'Oslo', temperature: 8, unit: 'celsius', isRaining: false }],
    [
      'Paris, 70 fahrenheit and raining',
      weather,
      { city: 'Paris', temperature: 70, unit: 'fahrenheit', isRaining: true },
    ],
    [
      'It is -4.5 degrees in New York City. It does not rain.',
      weather,
      { city: 'New York City', temperature: -4.5, isRaining: false },
    ],
    ['hello', weather, { city: 'unknown', temperature: 0 }],
    ['Anna is 31 years old and lives in Berlin', person, { name: 'Anna', age: 31, city: 'Berlin' }],
    ['This is terrible: 2 stars', review, { sentiment: 'negative', stars: 2, confidence: 0 }],
    ['Great, I love it, 5 stars', review, { sentiment: 'positive', stars: 5 }],
    [
      'In 14 days, colour: dark red, 20 pieces, not express',
      order,
      { quantity: 20, days: 14, colour: 'dark red', express: false },
    ],
  ])('is built from the message: %s', (prompt, schema, value) => {
    expect(fillSchema(schema, { prompt, answer: 'I read it.' })).toMatchObject(value)
  })

  it('has every field if the schema requires none', () => {
    const { required: _, ...open } = weather
    expect(fillSchema(open, { prompt: 'In Oslo it is 8 degrees', answer: '' })).toMatchObject({
      city: 'Oslo',
      temperature: 8,
    })
  })

  const narrow = [
    { type: 'integer', exclusiveMinimum: 0 },
    { type: 'integer', maximum: -3 },
    { type: 'integer', minimum: 0.5 },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { type: 'number', minimum: 7, multipleOf: 5 },
    { type: 'string', pattern: '^[A-Z]{2}-\\d{4}(?:/[a-f]+)?$' },
    { type: 'string', pattern: '^(?:low|high)_[^a-z]$' },
    { type: 'string', minLength: 3, maxLength: 5 },
    { type: 'string', pattern: '^[A-Z]+$', minLength: 3 },
    { type: 'string', pattern: '^[A-Z]+(?:-[a-z0-9]{2,})*$', minLength: 9, maxLength: 12 },
    { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, minItems: 1, maxItems: 2 },
    { type: 'array', items: { type: 'integer', minimum: 0 }, uniqueItems: true, minItems: 3 },
    { type: 'array', items: { type: 'number', minimum: 0, maximum: 1 }, uniqueItems: true, minItems: 3 },
    { type: 'array', items: { type: 'string', maxLength: 4 }, uniqueItems: true, minItems: 3 },
    { type: 'array', items: { enum: ['low', 'high', 'none'] }, uniqueItems: true, minItems: 3 },
    { allOf: [{ required: ['b'], properties: { b: text } }], type: 'object', properties: { a: text }, required: ['a'] },
    { oneOf: [{ required: ['b'], properties: { b: text } }], type: 'object', properties: { a: text }, required: ['a'] },
    { allOf: [{ items: { type: 'integer' }, minItems: 1 }], type: 'array' },
  ] satisfies Parameters<typeof z.fromJSONSchema>[0][]

  it.each(narrow)('matches its schema for any message: %j', (value) => {
    const schema = { type: 'object' as const, properties: { value }, required: ['value'] }
    const check = z.fromJSONSchema(schema)
    const prompts = ['', 'hi', source.prompt, 'value: 8.5', 'value is -1, 12, 3', 'the 2 and 2', 'the value "😀😀😀"']
    for (const prompt of prompts) {
      expect(check.safeParse(fillSchema(schema, { prompt, answer: prompt })).error, prompt).toBeUndefined()
    }
  })

  it('is complete beside an alternative that only names required fields', () => {
    const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: text, b: text } }
    expect(fillSchema({ type: 'object', ...either }, { prompt: 'hi', answer: 'ho' })).toEqual({ a: 'ho' })
  })

  it('leaves numbers that a list does not use to the next field', () => {
    const numbers = { type: 'array', items: { type: 'integer' }, maxItems: 2 }
    const schema = object({ numbers, rest: { type: 'integer' } })
    const source = { prompt: 'I have 4, 5 and 6', answer: '' }
    expect(fillSchema(schema, source)).toEqual({ numbers: [4, 5], rest: 6 })
  })

  it('does not truncate a text whose pattern is longer than the schema allows: nothing fits, and half of it is worse', () => {
    const month = { type: 'string', pattern: '^\\d{4}-\\d{2}$', maxLength: 4 }
    expect(fillSchema(month, { prompt: 'hi', answer: '' })).toBe('0000-00')
  })
})
