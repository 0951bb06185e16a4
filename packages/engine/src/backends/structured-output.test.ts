import { describe, expect, it } from 'vitest'
import { createOutputCheck, outputCheckOf } from './structured-output.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } } },
  required: ['city'],
  additionalProperties: false,
}

describe('createOutputCheck', () => {
  it('says nothing of a value that keeps the schema', () => {
    expect(createOutputCheck(schema)({ city: 'Ulm', days: [1, 2] })).toBeNull()
  })

  it.each([
    [{}, "the answer must have required property 'city'"],
    [{ city: 3 }, 'city must be string'],
    [{ city: 'Ulm', days: ['x'] }, 'days.0 must be integer'],
    [{ city: 'Ulm', sky: 'blue' }, 'the answer must NOT have additional properties (sky)'],
    ['Ulm', 'the answer must be object'],
  ])('says of %j how it breaks it', (value, how) => {
    expect(createOutputCheck(schema)(value)).toBe(how)
  })

  it('does not take for ever over a value that a pattern is never done with', () => {
    const check = createOutputCheck({ type: 'string', pattern: '^(a+)+$' })
    expect(check(`${'a'.repeat(64)}!`)).toBe('it cannot be checked in time')
    expect(check('aaa')).toBeNull()
  })

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2019-09/schema',
  ])('takes a schema that calls itself %s', ($schema) => {
    expect(createOutputCheck({ $schema, ...schema, 'x-note': 'a word of its writer' })({})).not.toBeNull()
  })

  it('throws for what is no schema', () => {
    expect(() => createOutputCheck({ type: 'objct' })).toThrow()
  })
})

describe('outputCheckOf', () => {
  it('is nothing for free answers, and names the agent whose schema is none', () => {
    expect(outputCheckOf({ name: 'poet', responseFormat: null })).toBeNull()
    expect(outputCheckOf({ name: 'poet', responseFormat: schema })?.({})).not.toBeNull()
    expect(() => outputCheckOf({ name: 'poet', responseFormat: { type: 'objct' } })).toThrow(
      'agent "poet": response_format is no JSON Schema',
    )
  })
})
