import { describe, expect, it } from 'vitest'
import { createOutputCheck, outputCheckOf } from './structured-output.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } } },
  required: ['city'],
  additionalProperties: false,
}

describe('createOutputCheck', () => {
  it('returns null for a value that matches the schema', () => {
    expect(createOutputCheck(schema)({ city: 'Ulm', days: [1, 2] })).toBeNull()
  })

  it.each([
    [{}, "the answer must have required property 'city'"],
    [{ city: 3 }, 'city must be string'],
    [{ city: 'Ulm', days: ['x'] }, 'days.0 must be integer'],
    [{ city: 'Ulm', sky: 'blue' }, 'the answer must NOT have additional properties (sky)'],
    ['Ulm', 'the answer must be object'],
  ])('explains how %j does not match', (value, how) => {
    expect(createOutputCheck(schema)(value)).toBe(how)
  })

  it.each([{ type: 'number' }, { type: ['number', 'null'] }, {}])(
    'refuses a number that would be stored as null, with the schema %j',
    (total) => {
      const check = createOutputCheck({ type: 'object', properties: { total } })
      expect(check(JSON.parse('{"total": 1e999}'))).toBe('total is a number too large to store')
      expect(check(JSON.parse('{"total": 1e300}'))).toBeNull()
    },
  )

  it('refuses a value that is nested too deeply to be stored or checked', () => {
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    const check = createOutputCheck({ type: 'array', items: { $ref: '#' } })
    expect(check(deep(20_000))).toBe('it is nested too deeply')
    expect(check(deep(20))).toBeNull()
  })

  it('gives up on a pattern that takes too long', () => {
    const check = createOutputCheck({ type: 'string', pattern: '^(a+)+$' })
    expect(check(`${'a'.repeat(64)}!`)).toBe('it cannot be checked in time')
    expect(check('aaa')).toBeNull()
  })

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2019-09/schema',
  ])('accepts a schema that declares %s', ($schema) => {
    expect(createOutputCheck({ $schema, ...schema, 'x-note': 'a word of its writer' })({})).not.toBeNull()
  })

  it('throws for an invalid schema', () => {
    expect(() => createOutputCheck({ type: 'objct' })).toThrow()
  })
})

describe('outputCheckOf', () => {
  it('returns null without a schema and names the agent of an invalid schema', () => {
    expect(outputCheckOf({ name: 'poet', responseFormat: null })).toBeNull()
    expect(outputCheckOf({ name: 'poet', responseFormat: schema })?.({})).not.toBeNull()
    expect(() => outputCheckOf({ name: 'poet', responseFormat: { type: 'objct' } })).toThrow(
      'agent "poet": response_format is not a valid JSON Schema',
    )
  })
})
